import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runs } from '#testing/budget.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { SignInThrottle, Tallies } from './sign-in-throttle.ts';

let throttle: SignInThrottle;
beforeEach(async () => {
  // The timers of open databases would fire for all the time that passes.
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 12), toFake: ['Date'] });
  throttle = new SignInThrottle(new Tallies(await memoryDatabase()));
});
afterEach(() => {
  vi.useRealTimers();
});

type Sender = Readonly<Record<'address' | 'browser', string | undefined>>;
const at = (address: string): Sender => ({ address, browser: undefined });
const knownBrowser = (browser: string, address = '192.0.2.1'): Sender => ({ address, browser });
const attempt = (account: string, { address = 'unknown', browser }: Sender) => ({ account, address, browser });

async function waitS(account: string, sender: Sender): Promise<number> {
  return (await throttle.admit(attempt(account, sender))).waitS;
}

async function failTimes(times: number, account: string, senderOf: (attempt: number) => Sender): Promise<number[]> {
  const waits: number[] = [];
  for (let made = 0; made < times; made++) {
    let waited = 0;
    for (let wait = await waitS(account, senderOf(made)); wait > 0; wait = await waitS(account, senderOf(made))) {
      waited += wait;
      vi.advanceTimersByTime(wait * 1000);
    }
    waits.push(waited);
  }
  return waits;
}
const anywhere = (made: number) => at(`198.51.${made >> 8}.${made & 255}`);
const here = () => at('192.0.2.1');

describe('SignInThrottle', () => {
  test('five attempts on an account are free, then the delay doubles', async () => {
    expect(await failTimes(10, 'anna', here)).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16]);
  });

  test('the delay never exceeds five minutes: no account is locked for ever', async () => {
    const waits = await failTimes(40, 'anna', here);
    expect(Math.max(...waits)).toBe(300);
    vi.advanceTimersByTime(5 * 60_000);
    expect(await waitS('anna', here())).toBe(0);
  });

  test('an address has twenty free attempts over all accounts', async () => {
    const waits: number[] = [];
    for (let made = 0; made < 22; made++) waits.push(await waitS(`name${made}`, here()));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(20);
    expect(await waitS('name1', at('192.0.2.2'))).toBe(0);
  });

  test('the addresses of one IPv6 network are one sender; those of another are not', async () => {
    const waits: number[] = [];
    for (let made = 0; made < 22; made++)
      waits.push(await waitS(`name${made}`, at(`2001:db8:0:7:${made.toString(16)}::1`)));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(20);
    expect(await waitS('name1', at('2001:db8:0:8::1'))).toBe(0);
  });

  test('an attempt that has to wait is not counted: repeating it does not make the wait longer', async () => {
    for (let made = 0; made < 5; made++) await waitS('anna', here());
    for (let again = 0; again < 50; again++) expect(await waitS('anna', here())).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(await waitS('anna', here())).toBe(0);
  });

  test('a success is not counted, but the other failures of the address still are', async () => {
    for (let made = 0; made < 4; made++) await waitS('anna', here());
    for (let times = 0; times < 30; times++) {
      expect(await waitS('anna', here())).toBe(0);
      await throttle.succeeded(attempt('anna', here()));
    }
    const waits: number[] = [];
    for (let made = 0; made < 17; made++) waits.push(await waitS(`name${made}`, here()));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(16);
  });

  test('many addresses have a few guesses each, and together no more than one address has', async () => {
    const addresses = runs(1000);
    let guesses = 0;
    const spray = async () => {
      for (let from = 0; from < addresses; from++) if ((await waitS('anna', anywhere(from))) === 0) guesses++;
    };
    for (let second = 0; second < 6; second++) {
      await spray();
      vi.advanceTimersByTime(1000);
    }
    expect(guesses).toBeGreaterThanOrEqual(3 * addresses);
    expect(guesses).toBeLessThan(3 * addresses + 5);
    for (let minute = 0; minute < 30; minute++) {
      vi.advanceTimersByTime(60_000);
      await spray();
    }
    expect(guesses).toBeLessThan(3 * addresses + 50);
  });

  test('under that spray the operator is admitted at once: from a known browser, and three times from a new address', async () => {
    const addresses = runs(1000);
    for (let made = 0; made < 4 * addresses; made++) await waitS('anna', anywhere(made % addresses));
    const owner = at('203.0.113.9');
    expect([await waitS('anna', owner), await waitS('anna', owner), await waitS('anna', owner)]).toEqual([0, 0, 0]);
    expect(await waitS('anna', owner)).toBeGreaterThan(0);
    expect(await waitS('anna', knownBrowser('b1', '198.51.0.1'))).toBe(0);
    expect(await waitS('bela', at('203.0.113.10'))).toBe(0);
  });

  test('guesses with the stolen cookie of a known browser are slowed, and slow no other browser', async () => {
    const waits = await failTimes(12, 'anna', (made) => knownBrowser('stolen', anywhere(made).address));
    expect(waits).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64]);
    expect(await waitS('anna', knownBrowser('another'))).toBe(0);
    expect(await failTimes(5, 'anna', here)).toEqual([0, 0, 0, 0, 0]);
  });

  test('passwords from known browsers are compared first, and those of addresses that failed last', async () => {
    const priority = async (account: string, sender: Sender) =>
      (await throttle.admit(attempt(account, sender))).priority;
    const first = await priority('anna', here());
    const again = await priority('anna', here());
    const fresh = await priority('anna', at('203.0.113.9'));
    const known = await priority('anna', knownBrowser('b1'));
    expect([known > fresh, fresh >= first, first > again]).toEqual([true, true, true]);
  });

  test('a known browser and a new address are admitted, whatever strangers do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.constantFrom('anna', 'bela'), fc.integer({ min: 0, max: 30 }), fc.integer({ max: 400, min: 0 })),
          {
            maxLength: 60,
          },
        ),
        async (attempts) => {
          throttle = new SignInThrottle(new Tallies(await memoryDatabase()));
          for (const [account, from, afterS] of attempts) {
            await waitS(account, anywhere(from));
            vi.advanceTimersByTime(afterS * 1000);
          }
          expect(await waitS('anna', knownBrowser('b1', '198.51.0.1'))).toBe(0);
          expect(await waitS('anna', at('203.0.113.9'))).toBe(0);
        },
      ),
      { numRuns: 50 },
    );
  });
});
