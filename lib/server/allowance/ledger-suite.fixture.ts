import { beforeEach, describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Attempt, Ledger, Reservation, Reserved, Spending } from './ledger.ts';

const NOON = upstreamInstant(Date.UTC(2026, 10, 21, 12, 0, 20));
const NEXT_MINUTE = upstreamInstant(Date.UTC(2026, 10, 21, 12, 1));
const MIDNIGHT = upstreamInstant(Date.UTC(2026, 10, 22));

interface Reported {
  readonly minute?: number;
  readonly day?: number;
}

/** @param make two handles of one new store */
export function declareLedgerSuite(name: string, make: () => Promise<readonly [Ledger, Ledger]>): void {
  let ledger: Ledger;
  let other: Ledger;
  beforeEach(async () => {
    [ledger, other] = await make();
  });

  async function granted(
    requests: number,
    spending: Spending,
    now: UpstreamInstant,
    from = ledger,
  ): Promise<Reservation> {
    const reserved = await from.reserve(requests, spending, now);
    if (reserved.kind === 'refused') throw new Error(`refused: ${reserved.why}`);
    return reserved.reservation;
  }

  async function spend(reported: Reported, now: UpstreamInstant, spending: Spending = 'first-view'): Promise<void> {
    const reservation = await granted(1, spending, now);
    await ledger.attempted(reservation, answered(reported, now));
    await ledger.release(reservation);
  }

  describe(`${name} as a ledger`, () => {
    describe('without any known allowance', () => {
      test('grants one probe, whatever was requested, and refuses all others meanwhile', async () => {
        const probe = await granted(7, 'scheduled', NOON);
        expect(probe.requests).toBe(1);
        expect(await other.reserve(1, 'first-view', NOON)).toEqual(refusal('probing', undefined));
        await ledger.attempted(probe, answered({ minute: 59, day: 999 }, NOON));
        expect(await granted(7, 'scheduled', NOON, other)).toMatchObject({ requests: 7, spending: 'scheduled' });
      });

      test('a released probe allows the next one', async () => {
        await ledger.release(await granted(1, 'scheduled', NOON));
        expect((await granted(1, 'scheduled', NOON, other)).requests).toBe(1);
      });

      test('an answer that reports one allowance leaves the other unknown', async () => {
        await spend({ minute: 59 }, NOON);
        expect(await ledger.state(NOON)).toMatchObject({ minute: { remaining: 59 }, day: { remaining: undefined } });
        expect((await granted(5, 'scheduled', NOON)).requests).toBe(1);
        expect(await other.reserve(1, 'scheduled', NOON)).toEqual(refusal('probing', undefined));
      });

      test('reports it as undefined', async () => {
        expect(await other.state(NOON)).toEqual({
          minute: { remaining: undefined, reserved: 0, size: undefined, resetsAt: NEXT_MINUTE },
          day: { remaining: undefined, reserved: 0, size: undefined, resetsAt: MIDNIGHT },
          spentToday: 0,
          spentOnHistoryToday: 0,
          historyUses: new Map(),
          pausedUntil: undefined,
        });
      });
    });

    describe('within a window', () => {
      test('grants the last requests to exactly as many simultaneous callers', async () => {
        await spend({ minute: 5, day: 500 }, NOON);
        const reserved = await Promise.all(
          Array.from({ length: 12 }, (_, index) => (index % 2 ? ledger : other).reserve(1, 'first-view', NOON)),
        );
        expect(reserved.filter(({ kind }) => kind === 'granted')).toHaveLength(5);
        const ids = reserved.flatMap((each) => (each.kind === 'granted' ? each.reservation.id : []));
        expect(new Set(ids).size).toBe(5);
      });

      test('granted requests stay reserved until they are attempted or released', async () => {
        await spend({ minute: 59, day: 999 }, NOON);
        const reservation = await granted(10, 'scheduled', NOON);
        await ledger.attempted(reservation, answered({ minute: 58, day: 998 }, NOON));
        expect((await other.state(NOON)).minute).toMatchObject({ remaining: 58, reserved: 9 });
        await ledger.release(reservation);
        expect((await other.state(NOON)).minute).toMatchObject({ remaining: 58, reserved: 0 });
      });

      test('an unanswered attempt counts as spent; a refused key or layer costs nothing', async () => {
        await spend({ minute: 59, day: 999 }, NOON);
        await spend({}, NOON);
        expect(await ledger.state(NOON)).toMatchObject({ minute: { remaining: 58 }, spentToday: 2 });
        const reservation = await granted(1, 'scheduled', NOON);
        await ledger.attempted(reservation, { ...answered({}, NOON), counted: false });
        expect(await ledger.state(NOON)).toMatchObject({ minute: { remaining: 58, reserved: 0 }, spentToday: 2 });
      });

      test('answers out of order count once each, and do not raise what remains', async () => {
        await spend({ minute: 59, day: 999 }, NOON);
        const [first, second] = [await granted(1, 'scheduled', NOON), await granted(1, 'scheduled', NOON, other)];
        await other.attempted(second, answered({ minute: 57, day: 997 }, NOON, 200));
        await ledger.attempted(first, answered({ minute: 58, day: 998 }, NOON, 300));
        expect(await ledger.state(NOON)).toMatchObject({
          minute: { remaining: 57, reserved: 0 },
          day: { remaining: 997 },
        });
      });

      test('a lower number than ours is applied at once, because others use the account too', async () => {
        await spend({ minute: 59, day: 999 }, NOON);
        await spend({ minute: 2, day: 500 }, NOON);
        expect(await ledger.state(NOON)).toMatchObject({ minute: { remaining: 2 }, day: { remaining: 500 } });
      });

      test('a higher number within the window is ignored', async () => {
        await spend({ minute: 20, day: 999 }, NOON);
        await spend({ minute: 50, day: 5000 }, addMs(NOON, 1000));
        expect(await ledger.state(NOON)).toMatchObject({ minute: { remaining: 19 }, day: { remaining: 998 } });
      });
    });

    describe('reserves', () => {
      test('scheduled refreshes and history leave a tenth of the minute, first views a twentieth', async () => {
        await spend({ minute: 100, day: 10_000 }, NOON);
        await granted(90, 'scheduled', NOON);
        for (const spending of ['scheduled', 'history'] as const) {
          expect(await other.reserve(1, spending, NOON)).toMatchObject(refusal('minute', undefined));
        }
        await granted(5, 'first-view', NOON);
        expect((await other.reserve(1, 'first-view', NOON)).kind).toBe('refused');
      });

      test('scheduled refreshes and history leave a twentieth of the day, first views half of that', async () => {
        await spend({ minute: 5000, day: 1000 }, NOON);
        await granted(950, 'scheduled', NOON);
        for (const spending of ['scheduled', 'history'] as const) {
          expect(await other.reserve(1, spending, NOON)).toMatchObject({ kind: 'refused', why: 'day' });
        }
        await granted(25, 'first-view', NOON);
        expect((await other.reserve(1, 'first-view', NOON)).kind).toBe('refused');
      });

      test('divides the share of history among the operators who want it, and grants no other what is kept for them', async () => {
        await spend({ minute: 1000, day: 100 }, NOON);
        const of = (operator: string) => ({ operator, hasOtherOperators: false, livePerS: 0 });
        expect((await ledger.reserve(1, 'history', NOON, of('bob'))).kind).toBe('granted');
        let alice = 0;
        for (const from of Array.from({ length: 30 }, (_, index) => (index % 2 ? ledger : other))) {
          const reserved = await from.reserve(1, 'history', NOON, of('alice'));
          if (reserved.kind === 'granted') {
            alice++;
            await from.attempted(reserved.reservation, answered({ minute: 1000, day: 99 - alice }, NOON));
            await from.release(reserved.reservation);
          } else expect(reserved).toEqual(refusal('operator', addMs(MIDNIGHT, 1000)));
        }
        expect(alice).toBe(15);
        const { historyUses } = await other.state(NOON);
        expect(historyUses.get('alice')?.requests).toBe(15);
        expect(historyUses.get('bob')?.requests, 'reserved').toBe(1);
        expect((await other.reserve(1, 'history', NOON, of('bob'))).kind).toBe('granted');
      });

      test('history leaves to the minute what live refreshes are going to need, and history has a tenth of it all the same', async () => {
        await spend({ minute: 100, day: 10_000 }, NOON);
        const beside = (livePerS: number) => ({ operator: 'alice', hasOtherOperators: false, livePerS });
        // Of 100, ten are the reserve; 40 s are left of the minute.
        expect(await other.reserve(61, 'history', NOON, beside(0.75))).toEqual(
          refusal('minute', addMs(NEXT_MINUTE, 1000)),
        );
        const past = await other.reserve(60, 'history', NOON, beside(0.75));
        expect(past.kind).toBe('granted');
        await ledger.release(await granted(30, 'scheduled', NOON));
        if (past.kind === 'granted') await other.release(past.reservation);
        await spend({ minute: 100, day: 9000 }, addMs(NEXT_MINUTE, 1000));
        expect((await other.reserve(10, 'history', addMs(NEXT_MINUTE, 1000), beside(50))).kind).toBe('granted');
      });

      test('history uses at most three tenths of the day, and starts again after midnight UTC', async () => {
        await spend({ minute: 5000, day: 101 }, NOON);
        const reservation = await granted(30, 'history', NOON);
        expect(await other.reserve(1, 'history', NOON)).toEqual(refusal('share', undefined));
        for (let left = 100; left > 70; left--)
          await ledger.attempted(reservation, answered({ minute: 4000, day: left }, NOON));
        expect(await other.reserve(1, 'history', NOON)).toEqual(refusal('share', addMs(MIDNIGHT, 1000)));
        expect((await other.state(NOON)).spentOnHistoryToday).toBe(30);
        await granted(1, 'scheduled', NOON);
        await granted(1, 'history', addMs(MIDNIGHT, 1000), other);
      });

      test('an allowance of a few requests can be used up completely', async () => {
        await spend({ minute: 5, day: 19 }, NOON);
        await granted(5, 'scheduled', NOON);
      });

      test('work that exceeds a whole window gets the whole window', async () => {
        await spend({ minute: 4, day: 500 }, NOON);
        expect((await granted(6, 'scheduled', NOON)).requests).toBe(4);
      });
    });

    describe('where nothing remains', () => {
      test('refuses until just after the next minute, then grants one probe', async () => {
        await spend({ minute: 0, day: 500 }, NOON);
        expect(await other.reserve(1, 'first-view', NOON)).toEqual(refusal('minute', addMs(NEXT_MINUTE, 1000)));
        expect((await granted(3, 'first-view', addMs(NEXT_MINUTE, 1000), other)).requests).toBe(1);
      });

      test('refuses until just after midnight UTC in the last hour of a day', async () => {
        const late = addMs(MIDNIGHT, -HOUR_MS / 2);
        await spend({ minute: 50, day: 0 }, late);
        expect(await other.reserve(1, 'first-view', late)).toEqual(refusal('day', addMs(MIDNIGHT, 1000)));
        expect((await granted(3, 'first-view', addMs(MIDNIGHT, 1000), other)).requests).toBe(1);
      });

      test('grants one request an hour of a used-up day, whatever it is for', async () => {
        await spend({ minute: 50, day: 0 }, NOON);
        for (const [hours, spending] of [
          [1, 'first-view'],
          [2, 'history'],
          [3, 'scheduled'],
        ] as const) {
          const checkedAt = addMs(NOON, hours * HOUR_MS);
          expect(await other.reserve(5, spending, addMs(checkedAt, -1))).toEqual(refusal('day', checkedAt));
          const check = await granted(5, spending, checkedAt);
          expect(check.requests).toBe(1);
          expect(await other.reserve(1, 'first-view', checkedAt), 'in flight').toEqual(refusal('probing', undefined));
          await ledger.attempted(check, answered({ minute: 50, day: 0 }, checkedAt));
          await ledger.release(check);
        }
      });

      test('a check without an answer is repeated an hour later', async () => {
        await spend({ minute: 50, day: 0 }, NOON);
        const checkedAt = addMs(NOON, HOUR_MS);
        const check = await granted(1, 'scheduled', checkedAt);
        await ledger.attempted(check, answered({}, checkedAt, 9000));
        await ledger.release(check);
        const next = addMs(checkedAt, HOUR_MS);
        expect(await other.reserve(1, 'scheduled', addMs(checkedAt, 10_000))).toEqual(refusal('day', next));
        await granted(1, 'scheduled', next, other);
      });

      test('a check that finds more ends the refusal', async () => {
        await spend({ minute: 50, day: 0 }, NOON);
        const checkedAt = addMs(NOON, HOUR_MS);
        await spend({ minute: 50, day: 5000 }, checkedAt);
        expect(await other.state(checkedAt)).toMatchObject({ day: { remaining: 5000, size: 5000 } });
        expect((await other.state(checkedAt)).usedUpUntil).toBeUndefined();
        await granted(5, 'scheduled', checkedAt, other);
      });

      test('a higher number of an answer that is no check is not believed', async () => {
        await spend({ minute: 50, day: 900 }, NOON);
        const earlier = await granted(1, 'scheduled', NOON);
        await spend({ minute: 50, day: 0 }, NOON);
        await ledger.attempted(earlier, answered({ minute: 50, day: 898 }, NOON, 2000));
        expect((await other.state(addMs(NOON, 2000))).day.remaining).toBe(0);
      });

      test('is checked at once where that is wanted, and an hour after it again', async () => {
        await spend({ minute: 50, day: 0 }, NOON);
        const wantedAt = addMs(NOON, 10_000);
        await other.checkDay(wantedAt);
        expect((await other.state(wantedAt)).usedUpUntil).toBe(wantedAt);
        await spend({ minute: 50, day: 0 }, wantedAt);
        expect(await other.reserve(1, 'scheduled', wantedAt)).toEqual(refusal('day', addMs(wantedAt, HOUR_MS)));
      });

      test('is free again by its check, even where the answer sets the estimate of the clock back a little', async () => {
        await spend({ minute: 50, day: 0 }, NOON);
        const wantedAt = addMs(NOON, HOUR_MS);
        await other.checkDay(wantedAt);
        const probe = await granted(1, 'scheduled', wantedAt, other);
        await other.attempted(probe, answered({ minute: 50, day: 300 }, addMs(wantedAt, -1900), 2000));
        expect((await other.state(wantedAt)).day.remaining).toBe(300);
      });

      test('names no time while the rest is reserved for requests in flight', async () => {
        await spend({ minute: 2, day: 500 }, NOON);
        const reservation = await granted(2, 'scheduled', NOON);
        expect(await other.reserve(1, 'scheduled', NOON)).toEqual(refusal('minute', undefined));
        await ledger.release(reservation);
        await granted(1, 'scheduled', NOON, other);
      });
    });

    describe('after the end of a window', () => {
      const LATER = addMs(NEXT_MINUTE, 5000);

      test('the rest of the ended minute is granted without a probe, while it suffices', async () => {
        await spend({ minute: 40, day: 999 }, NOON);
        expect((await granted(30, 'scheduled', LATER)).requests).toBe(30);
      });

      test('the first higher number starts the new minute', async () => {
        await spend({ minute: 3, day: 999 }, NOON);
        await spend({ minute: 59, day: 998 }, LATER);
        expect(await other.state(LATER)).toMatchObject({
          minute: { remaining: 59, size: 59 },
          day: { remaining: 998 },
        });
      });

      test('an answer to a request sent before the end does not', async () => {
        await spend({ minute: 30, day: 999 }, NOON);
        const reservation = await granted(1, 'scheduled', NOON);
        await ledger.attempted(reservation, answered({ minute: 59, day: 998 }, addMs(NEXT_MINUTE, -100), 5000));
        expect((await other.state(LATER)).minute.remaining).toBeUndefined();
      });

      test('a late number of the old minute does not lower the new one', async () => {
        await spend({ minute: 30, day: 999 }, NOON);
        const late = await granted(1, 'scheduled', NOON);
        await spend({ minute: 59, day: 997 }, addMs(NEXT_MINUTE, 1000));
        await ledger.attempted(late, answered({ minute: 29, day: 998 }, addMs(NEXT_MINUTE, -100), 4000));
        // The late request may have counted on either side of the reset.
        expect(await other.state(LATER)).toMatchObject({ minute: { remaining: 58 }, day: { remaining: 997 } });
      });

      test('a new day resets both of our counts', async () => {
        await spend({ minute: 30, day: 999 }, NOON, 'history');
        const tomorrow = addMs(MIDNIGHT, 2000);
        expect(await other.state(tomorrow)).toMatchObject({ day: { remaining: undefined }, spentToday: 0 });
        await spend({ minute: 59, day: 1999 }, tomorrow);
        expect(await other.state(tomorrow)).toMatchObject({
          day: { remaining: 1999, size: 1999 },
          spentToday: 1,
          spentOnHistoryToday: 0,
        });
      });

      test('where other consumers were quicker, probes follow at growing intervals', async () => {
        await spend({ minute: 30, day: 99 }, NOON);
        await spend({ minute: 29, day: 2 }, NOON);
        const tomorrow = addMs(MIDNIGHT, MINUTE_MS);
        await spend({ minute: 59, day: 1 }, tomorrow);
        for (const [probedAt, againAt] of [
          [tomorrow, addMs(tomorrow, MINUTE_MS)],
          [addMs(tomorrow, MINUTE_MS), addMs(tomorrow, 180_000)],
        ] as const) {
          expect(await other.reserve(1, 'first-view', probedAt)).toEqual(refusal('day', againAt));
          await spend({ minute: 58, day: 0 }, againAt);
        }
      });
    });

    describe('a pause', () => {
      test('refuses every caller and ends by itself', async () => {
        await spend({ minute: 59, day: 999 }, NOON);
        const until = addMs(NOON, 30_000);
        await ledger.pauseUntil(until, 'allowance_used_up');
        expect(await other.reserve(1, 'first-view', addMs(until, -1))).toEqual({
          ...refusal('paused', until),
          reason: 'allowance_used_up',
        });
        expect((await other.state(NOON)).pausedUntil).toBe(until);
        await granted(1, 'first-view', until, other);
        expect((await other.state(until)).pausedUntil).toBeUndefined();
      });

      test('keeps its reason', async () => {
        await ledger.pauseUntil(addMs(NOON, 30_000), 'service_unreachable');
        await ledger.pauseUntil(addMs(NOON, 20_000), 'service_busy');
        expect(await other.reserve(1, 'scheduled', NOON)).toMatchObject({ reason: 'service_unreachable' });
      });

      test('is never shortened', async () => {
        await ledger.pauseUntil(addMs(NOON, 30_000), 'allowance_used_up');
        await other.pauseUntil(addMs(NOON, 10_000), 'allowance_used_up');
        expect((await other.state(NOON)).pausedUntil).toBe(addMs(NOON, 30_000));
      });
    });

    test('keeps which key was refused', async () => {
      expect((await other.state(NOON)).refusedKey).toBeUndefined();
      const refused = { id: 'abcd1234', until: addMs(NOON, HOUR_MS) };
      await ledger.keepRefusedKey(refused);
      expect((await other.state(NOON)).refusedKey).toEqual(refused);
      await other.keepRefusedKey(undefined);
      expect((await ledger.state(NOON)).refusedKey).toBeUndefined();
    });

    describe('misuse', () => {
      test('more attempts than granted, or attempts after the release, are errors without effect', async () => {
        await spend({ minute: 59, day: 999 }, NOON);
        const reservation = await granted(1, 'scheduled', NOON);
        await ledger.attempted(reservation, answered({ minute: 58, day: 998 }, NOON));
        const before = await ledger.state(NOON);
        await expect(ledger.attempted(reservation, answered({ minute: 1, day: 1 }, NOON))).rejects.toThrow(
          /reservation/,
        );
        await ledger.release(reservation);
        await ledger.release(reservation);
        await expect(ledger.attempted(reservation, answered({ minute: 1, day: 1 }, NOON))).rejects.toThrow(
          /reservation/,
        );
        expect(await other.state(NOON)).toEqual(before);
      });

      test.each([0, -1, 1.5, Number.NaN])('reserving %d requests is an error', async (requests) => {
        await expect(ledger.reserve(requests, 'scheduled', NOON)).rejects.toThrow(RangeError);
      });
    });
  });
}

function answered(reported: Reported, sentAt: UpstreamInstant, tookMs = 0): Attempt {
  return {
    counted: true,
    minuteRemaining: reported.minute,
    dayRemaining: reported.day,
    sentAt,
    receivedAt: addMs(sentAt, tookMs),
  };
}

function refusal(why: string, until: UpstreamInstant | undefined): Reserved {
  return { kind: 'refused', why, until } as Reserved;
}
