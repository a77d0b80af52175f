import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SignInThrottle } from './sign-in-throttle.ts';

let throttle: SignInThrottle;
beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 12) });
  throttle = new SignInThrottle();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Makes failing attempts, each as soon as it is admitted. Returns the waits before them in seconds. */
async function failTimes(times: number, account: string, addressOf: (attempt: number) => string): Promise<number[]> {
  const waits: number[] = [];
  for (let attempt = 0; attempt < times; attempt++) {
    let waited = 0;
    for (let waitS = await throttle.admit(account, addressOf(attempt)); waitS > 0; ) {
      waited += waitS;
      vi.advanceTimersByTime(waitS * 1000);
      waitS = await throttle.admit(account, addressOf(attempt));
    }
    waits.push(waited);
  }
  return waits;
}
const anywhere = (attempt: number) => `198.51.100.${attempt}`;

describe('SignInThrottle', () => {
  test('five attempts on an account are free, then the delay doubles', async () => {
    expect(await failTimes(10, 'anna', anywhere)).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16]);
  });

  test('the delay never exceeds five minutes: no account is locked for ever', async () => {
    const waits = await failTimes(40, 'anna', anywhere);
    expect(Math.max(...waits)).toBe(300);
    vi.advanceTimersByTime(5 * 60_000);
    expect(await throttle.admit('anna', '192.0.2.1')).toBe(0);
  });

  test('an address has twenty free attempts over all accounts', async () => {
    const waits: number[] = [];
    for (let attempt = 0; attempt < 22; attempt++) waits.push(await throttle.admit(`name${attempt}`, '192.0.2.1'));
    expect(waits.filter((waitS) => waitS === 0)).toHaveLength(20);
    expect(await throttle.admit('name1', '192.0.2.2')).toBe(0);
  });

  test('an attempt that has to wait is not counted: repeating it does not make the wait longer', async () => {
    for (let attempt = 0; attempt < 5; attempt++) await throttle.admit('anna', anywhere(attempt));
    for (let again = 0; again < 50; again++) expect(await throttle.admit('anna', '192.0.2.1')).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(await throttle.admit('anna', '192.0.2.1')).toBe(0);
  });

  test('a success resets the account’s failures, but not the other failures of the address', async () => {
    for (let attempt = 0; attempt < 4; attempt++) await throttle.admit('anna', '192.0.2.1');
    await throttle.admit('anna', '192.0.2.1');
    await throttle.succeeded('anna', '192.0.2.1');
    expect(await failTimes(6, 'anna', anywhere)).toEqual([0, 0, 0, 0, 0, 1]);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 17; attempt++) waits.push(await throttle.admit(`name${attempt}`, '192.0.2.1'));
    expect(waits.filter((waitS) => waitS === 0)).toHaveLength(16);
  });
});
