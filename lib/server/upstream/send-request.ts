import 'server-only';
import { type Dispatcher, request } from 'undici';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import { BodyTooLarge, boundedBytes } from './bounded-body.ts';

const BODY_MAX_BYTES = 32 * 1024 * 1024;
/** Only parsed for its form. */
const ERROR_BODY_MAX_BYTES = 64 * 1024;

export interface Reply {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** Whole for a 200; otherwise empty where it is cut off or longer than `ERROR_BODY_MAX_BYTES`. */
  readonly body: Buffer<ArrayBuffer>;
}

export interface BrokenReply {
  readonly reason: Extract<
    FailureReason,
    'service_timeout' | 'service_unreachable' | 'answer_unreadable' | 'answer_too_large'
  >;
  readonly detail: string;
  readonly reply: Omit<Reply, 'body'> | undefined;
}

/**
 * Follows no redirects.
 * @param totalMs of the whole exchange
 * @param onAccepted called on status 200, before the body
 */
export async function sendRequest(
  url: string,
  key: string,
  dispatcher: Dispatcher,
  totalMs: number,
  onAccepted: () => void,
): Promise<{ readonly ok: true; readonly reply: Reply } | { readonly ok: false; readonly broken: BrokenReply }> {
  let reply: Omit<Reply, 'body'> | undefined;
  try {
    const response = await request(url, {
      dispatcher,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json',
        // Without it any encoding is allowed (RFC 9110, 12.5.3), and an encoded body's size is not bounded.
        'accept-encoding': 'identity',
        'user-agent': 'lookout',
      },
      signal: AbortSignal.timeout(totalMs),
    });
    reply = {
      status: response.statusCode,
      header: (name) => [response.headers[name] ?? []].flat()[0],
    };
    if (response.statusCode !== 200) {
      const body = await boundedBytes(response.body, ERROR_BODY_MAX_BYTES).catch(() => Buffer.alloc(0));
      return { ok: true, reply: { ...reply, body } };
    }
    onAccepted();
    return { ok: true, reply: { ...reply, body: await boundedBytes(response.body, BODY_MAX_BYTES) } };
  } catch (error) {
    const broke = reply === undefined ? 'service_unreachable' : 'answer_unreadable';
    const reason = error instanceof BodyTooLarge ? 'answer_too_large' : isTimeout(error) ? 'service_timeout' : broke;
    return { ok: false, broken: { reason, detail: String(error), reply } };
  }
}

function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || (code?.includes('TIMEOUT') ?? false);
}
