import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import { undocumented } from './api-document.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect.
  json(): any;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a text. */
  readonly body?: object | string | undefined;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/**
 * Sends also headers that `fetch` reserves, follows no redirect, and keeps no cookie.
 * @throws Error for an answer of the API that docs/openapi.json does not describe
 */
export function ask(url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
  const isText = body === undefined || typeof body === 'string';
  const sentBody = isText ? body : JSON.stringify(body);
  const length = sentBody === undefined ? {} : { 'content-length': String(Buffer.byteLength(sentBody)) };
  const type = isText ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, agent, headers: { ...type, ...headers, ...length } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
      answer.once('end', () => {
        const whole = Buffer.concat(chunks);
        const text = whole.toString('utf8');
        const { statusCode: status = 0, headers } = answer;
        const { pathname: path } = new URL(url);
        const type = headers['content-type'] ?? '';
        const problem = path.startsWith('/api/') && undocumented({ method, path, status, type, text });
        if (problem) reject(new Error(`${method} ${path} → ${status} is not as in docs/openapi.json: ${problem}`));
        else resolve({ status, headers, body: whole, text, json: () => JSON.parse(text) });
      });
    });
    sent.once('error', reject);
    sent.end(sentBody);
  });
}

export function expectRefusal({ status, headers, json }: Answer, expected: number, code: string): void {
  expect(status).toBe(expected);
  expect(headers['content-type']).toContain('application/json');
  expect(headers['cache-control']).toBe('no-store');
  expect(json()).toEqual({
    error: { code, message: expect.stringMatching(/\S/) },
    request_id: headers['x-request-id'],
  });
}

/** Of the session. A known browser gets another cookie, in any order. */
export function sessionCookie({ headers }: Answer): string {
  const cookies = (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0] ?? '');
  return cookies.find((cookie) => /^(__Host-)?lookout=/.test(cookie)) ?? '';
}

/** Signs in. @returns the session's `Cookie` header */
export async function cookieOf(
  { url }: { readonly url: string },
  { name, password }: { readonly name: string; readonly password: string },
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = { name, password };
  const answer = await ask(`${url}/api/session`, { method: 'POST', headers: { origin: url, ...headers }, body });
  expect(answer.status).toBe(204);
  return sessionCookie(answer);
}
