import { type APIRequestContext, type APIResponse, expect } from '@playwright/test';
import type { OperatorAccount } from '../running/operators.ts';
import type { RunningLookout } from '../running/running-lookout.ts';

export async function expectRefusal(answer: APIResponse, status: number, code: string): Promise<void> {
  expect(answer.status()).toBe(status);
  expect(answer.headers()['content-type']).toContain('application/json');
  expect(answer.headers()['cache-control']).toBe('no-store');
  const body: unknown = await answer.json();
  expect(body).toEqual({
    error: { code, message: expect.stringMatching(/\S/) },
    request_id: answer.headers()['x-request-id'],
  });
}

/** @returns the session's `Cookie` header */
export async function cookieOf(
  request: APIRequestContext,
  lookout: Pick<RunningLookout, 'url'>,
  account: OperatorAccount,
): Promise<string> {
  const answer = await request.post(`${lookout.url}/api/session`, {
    data: { name: account.name, password: account.password },
    headers: { origin: lookout.url },
  });
  expect(answer.status()).toBe(204);
  const set = answer.headersArray().filter(({ name }) => name.toLowerCase() === 'set-cookie');
  const cookies = set.map(({ value }) => value.split(';')[0] ?? '');
  // A known browser gets another cookie, in any order.
  return cookies.find((cookie) => cookie.startsWith('lookout=')) ?? '';
}
