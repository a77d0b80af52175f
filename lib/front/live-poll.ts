import type { IncomingMessage, ServerResponse } from 'node:http';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';

const POLL_PATH = '/api/live';
const ORIGIN = 'http://lookout';

export type AnswerPoll = (request: Request) => Promise<Response>;

/** Whether it is a poll in the compact form. Others, such as the JSON form, are answered by Next. */
export function isPoll({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.accept !== COMPACT_LIVE_TYPE || !url.startsWith(POLL_PATH)) return false;
  return url.length === POLL_PATH.length || url[POLL_PATH.length] === '?';
}

/** Skips Next, which takes longer than the answer. */
export async function sendPoll(answer: AnswerPoll, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answered = await answer(
    new Request(ORIGIN + request.url, { headers: request.headers as Record<string, string> }),
  );
  const body = new Uint8Array(await answered.arrayBuffer());
  response.writeHead(answered.status, { ...Object.fromEntries(answered.headers), 'content-length': body.byteLength });
  response.end(body);
}
