import { request } from 'undici';
import type { OperatorAccount } from '../e2e/running/operators.ts';

/** @returns the session as the value of a `Cookie` header */
export async function signedIn(url: string, account: OperatorAccount | undefined): Promise<string> {
  if (!account) throw new Error('there is no operator');
  const answer = await request(`${url}/api/session`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ name: account.name, password: account.password }),
  });
  await answer.body.dump();
  if (answer.statusCode !== 204) throw new Error(`sign-in answered ${answer.statusCode}`);
  return [answer.headers['set-cookie'] ?? ''].flat()[0]?.split(';')[0] ?? '';
}
