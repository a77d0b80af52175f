import { beforeEach, describe, expect, test } from 'vitest';
import { addMs, epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { AllowanceLedger, type SavedLedger } from './allowance-ledger.ts';
import type { Reservation, Spending } from './ledger.ts';

const EDGE = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const MIDNIGHT = upstreamInstant(Date.UTC(2026, 10, 22));
const BEFORE = addMs(EDGE, -20 * SECOND_MS);

interface Reported {
  readonly minute?: number;
  readonly day?: number;
}

let ledger: AllowanceLedger;
beforeEach(() => {
  ledger = new AllowanceLedger();
});

function granted(requests: number, now: UpstreamInstant, spending: Spending = 'first-view'): Reservation {
  const reserved = ledger.reserve(requests, spending, now);
  if (reserved.kind === 'refused') throw new Error(`refused: ${reserved.why}`);
  return reserved.reservation;
}

function settle(
  reservation: Reservation,
  reported: Reported,
  sentAt: UpstreamInstant,
  receivedAt = sentAt,
  counted = true,
): void {
  ledger.attempted(reservation, {
    counted,
    minuteRemaining: reported.minute,
    dayRemaining: reported.day,
    sentAt,
    receivedAt,
  });
}

function request(reported: Reported, now: UpstreamInstant, counted = true): void {
  const reservation = granted(1, now);
  settle(reservation, reported, now, now, counted);
  ledger.release(reservation);
}

function crash(): void {
  ledger = new AllowanceLedger(JSON.parse(JSON.stringify(ledger.saved())) as SavedLedger);
}

const minuteLeft = (now: UpstreamInstant) => ledger.state(now).minute.remaining;
const dayLeft = (now: UpstreamInstant) => ledger.state(now).day.remaining;

describe('the start of a new window', () => {
  beforeEach(() => request({ minute: 30, day: 900 }, BEFORE));

  test('the first number of a window does not include a request that was abandoned while its answer was in flight', () => {
    const at = addMs(EDGE, 5 * SECOND_MS);
    const [silent, first] = [granted(1, at), granted(1, at)];
    settle(silent, {}, at, addMs(at, 100));
    settle(first, { minute: 59, day: 899 }, at, addMs(at, 200));
    expect(minuteLeft(at)).toBe(58);
  });

  test('a higher number does not start a window if its request overlapped with the last answer', () => {
    const early = addMs(EDGE, -100);
    const [low, high] = [granted(1, early), granted(1, early)];
    settle(low, { minute: 20, day: 899 }, early, addMs(EDGE, 300));
    settle(high, { minute: 21, day: 898 }, addMs(EDGE, 100), addMs(EDGE, 400));
    expect(minuteLeft(addMs(EDGE, 500))).toBeUndefined();
  });

  test('inconclusive requests after the window’s end never exceed what a window certainly has', () => {
    ledger = new AllowanceLedger();
    request({ minute: 2, day: 899 }, addMs(EDGE, MINUTE_MS));
    request({ minute: 1, day: 898 }, addMs(EDGE, MINUTE_MS));
    const edge = addMs(EDGE, 2 * MINUTE_MS);
    crash();
    const old = granted(1, addMs(edge, -100));
    const probe = granted(1, addMs(edge, 1000));
    settle(old, { minute: 0, day: 897 }, addMs(edge, -100), addMs(edge, 1200));
    settle(probe, { minute: 2, day: 896 }, addMs(edge, 1000), addMs(edge, 1300));
    const refusal = { kind: 'refused', why: 'minute', until: addMs(edge, MINUTE_MS + SECOND_MS) };
    expect(ledger.reserve(1, 'first-view', addMs(edge, 1400))).toEqual(refusal);
  });

  test('an unchanged number belongs to the old window right after its end, and to the new one some seconds later', () => {
    request({ minute: 30, day: 899 }, addMs(EDGE, 500));
    expect(ledger.saved().minute?.startsAt).toBeLessThan(epochMs(EDGE));
    request({ minute: 30, day: 898 }, addMs(EDGE, 5 * SECOND_MS));
    expect(ledger.saved().minute?.startsAt).toBe(EDGE);
  });

  test('an unchanged number of an uncounted request does not start a window', () => {
    request({ minute: 30, day: 900 }, addMs(EDGE, 5 * SECOND_MS), false);
    request({ minute: 59, day: 899 }, addMs(EDGE, 6 * SECOND_MS));
    expect(minuteLeft(addMs(EDGE, 6 * SECOND_MS))).toBe(59);
  });

  test('a lower number after the window’s end is what remains, though it starts no window', () => {
    const at = addMs(MIDNIGHT, MINUTE_MS);
    request({ minute: 59, day: 800 }, at);
    expect(dayLeft(at)).toBe(800);
  });

  test('a daily reset that comes a few seconds late is noticed the same day', () => {
    request({ minute: 29, day: 0 }, BEFORE);
    request({ minute: 59, day: 0 }, addMs(MIDNIGHT, SECOND_MS));
    const reset = addMs(MIDNIGHT, 10 * SECOND_MS);
    expect(ledger.reserve(1, 'first-view', addMs(MIDNIGHT, 2 * SECOND_MS))).toMatchObject({ why: 'day', until: reset });
    request({ minute: 58, day: 999 }, reset);
    expect(dayLeft(reset)).toBe(999);
  });

  test('the very first number, right after midnight, is not taken for the new day’s allowance', () => {
    ledger = new AllowanceLedger();
    request({ minute: 59, day: 2 }, addMs(MIDNIGHT, 200));
    request({ minute: 58, day: 999 }, addMs(MIDNIGHT, SECOND_MS));
    expect(dayLeft(addMs(MIDNIGHT, SECOND_MS))).toBe(999);
  });

  test('however late the day is reset, the ledger keeps checking, at growing intervals', () => {
    request({ minute: 29, day: 0 }, BEFORE);
    const checks: number[] = [];
    let at: UpstreamInstant = MIDNIGHT;
    while (at < addMs(MIDNIGHT, 6 * 3600 * SECOND_MS)) {
      const reserved = ledger.reserve(1, 'first-view', at);
      if (reserved.kind === 'granted') {
        checks.push(msBetween(MIDNIGHT, at) / SECOND_MS);
        settle(reserved.reservation, { minute: 59, day: 0 }, at);
      } else {
        at = reserved.until ?? at;
      }
    }
    expect(checks).toEqual([1, 10, 70, 140, 280, 560, 1120, 2240, 4480, 8960, 17_920]);
    request({ minute: 59, day: 999 }, at);
    expect(dayLeft(at)).toBe(999);
  });

  test('where nothing was left when we came, the size is not known: unanswered probes of the new day end no day', () => {
    ledger = new AllowanceLedger();
    request({ minute: 30, day: 0 }, addMs(MIDNIGHT, -MINUTE_MS));
    const grants: UpstreamInstant[] = [];
    for (let at = MIDNIGHT; at < addMs(MIDNIGHT, DAY_MS); at = addMs(at, 10 * SECOND_MS)) {
      const reserved = ledger.reserve(1, 'first-view', at);
      if (reserved.kind === 'refused') continue;
      settle(reserved.reservation, {}, at);
      grants.push(at);
    }
    const minutes = grants.map((at) => msBetween(MIDNIGHT, at) / MINUTE_MS);
    expect(minutes.slice(0, 4).map(Math.round)).toEqual([0, 1, 2, 5]);
    expect(minutes.length).toBeLessThan(15);
    request({ minute: 30, day: 899 }, addMs(MIDNIGHT, DAY_MS + MINUTE_MS));
    expect(granted(5, addMs(MIDNIGHT, DAY_MS + MINUTE_MS)).requests, 'from the first answer on all is known').toBe(5);
  });

  test('where the size of a whole day is known, that many unanswered requests end it', () => {
    ledger = new AllowanceLedger();
    request({ minute: 30, day: 0 }, addMs(MIDNIGHT, -MINUTE_MS));
    request({ minute: 30, day: 1 }, addMs(MIDNIGHT, MINUTE_MS));
    const tomorrow = addMs(MIDNIGHT, DAY_MS + MINUTE_MS);
    for (let times = 0; times < 2; times++) {
      const reserved = ledger.reserve(1, 'first-view', addMs(tomorrow, times * 10 * SECOND_MS));
      expect(reserved.kind).toBe(times < 1 ? 'granted' : 'refused');
      if (reserved.kind === 'granted') settle(reserved.reservation, {}, tomorrow);
    }
    expect(ledger.reserve(1, 'first-view', addMs(tomorrow, 23 * 60 * MINUTE_MS)).kind).toBe('refused');
  });

  test('a late answer to yesterday’s request does not count today', () => {
    const late = granted(1, addMs(MIDNIGHT, -SECOND_MS));
    request({ minute: 59, day: 999 }, addMs(MIDNIGHT, SECOND_MS));
    settle(late, { minute: 28, day: 898 }, addMs(MIDNIGHT, -SECOND_MS), addMs(MIDNIGHT, 2 * SECOND_MS));
    expect(ledger.state(addMs(MIDNIGHT, 3 * SECOND_MS)).spentToday).toBe(1);
  });
});

describe('how reported numbers are interpreted', () => {
  test('an upstream that reports what remained before the request does not cause one request too many', () => {
    request({ minute: 10, day: 900 }, EDGE);
    request({ minute: 10, day: 900 }, EDGE);
    request({ minute: 9, day: 899 }, EDGE);
    expect([minuteLeft(EDGE), dayLeft(EDGE)]).toEqual([8, 898]);
  });

  test('numbers recorded while our clock was a day ahead are dropped as soon as it is corrected', () => {
    request({ minute: 5, day: 20 }, addMs(EDGE, DAY_MS));
    request({ minute: 59, day: 999 }, EDGE);
    expect([minuteLeft(EDGE), dayLeft(EDGE)]).toEqual([59, 999]);
  });

  test('the size of a window follows its first number: up at once, down by at most half', () => {
    const firstNumbers = [60, 40, 10, 5, 80];
    const sizes = firstNumbers.map((minute, index) => {
      const at = addMs(EDGE, index * MINUTE_MS + 5 * SECOND_MS);
      request({ minute, day: 900 - index * 10 }, at);
      request({ minute: 0, day: 895 - index * 10 }, at);
      return ledger.state(at).minute.size;
    });
    expect(sizes).toEqual([60, 40, 20, 10, 80]);
  });
});

describe('after a crash', () => {
  const LATE = addMs(EDGE, -5 * SECOND_MS);

  test.each([1, 2])(
    'open requests may have been sent after the window’s end, so they rule out a probe after crash %d',
    (times) => {
      request({ minute: 1, day: 900 }, BEFORE);
      granted(1, LATE);
      for (let crashes = 0; crashes < times; crashes++) crash();
      const refusal = { kind: 'refused', why: 'minute', until: addMs(EDGE, MINUTE_MS + SECOND_MS) };
      expect(ledger.reserve(1, 'first-view', addMs(EDGE, 2 * SECOND_MS))).toEqual(refusal);
      granted(1, addMs(EDGE, MINUTE_MS + SECOND_MS));
    },
  );

  test('open requests of long ago do not delay a probe', () => {
    request({ minute: 1, day: 900 }, BEFORE);
    granted(1, LATE);
    crash();
    granted(1, addMs(EDGE, 15 * MINUTE_MS + 2 * SECOND_MS));
  });

  test('requests open at midnight UTC count for the new day, and for no later one', () => {
    request({ minute: 30, day: 900 }, addMs(MIDNIGHT, -10 * SECOND_MS));
    granted(3, addMs(MIDNIGHT, -SECOND_MS), 'history');
    crash();
    const after = addMs(MIDNIGHT, 2 * SECOND_MS);
    ledger.release(granted(1, after));
    expect(ledger.state(after)).toMatchObject({ spentToday: 3, spentOnHistoryToday: 3 });
    ledger.release(granted(1, addMs(after, DAY_MS)));
    expect(ledger.state(addMs(after, DAY_MS)).spentToday).toBe(0);
  });
});

describe('a clock that was ahead, by the first answer', () => {
  const AHEAD = [MINUTE_MS + 4 * SECOND_MS, 13 * 60 * MINUTE_MS, 40 * DAY_MS];

  test.each(AHEAD)('of %i ms changes nothing of what was spent and of what is left today', (ms) => {
    request({ minute: 30, day: 900 }, EDGE);
    request({ minute: 29, day: 899 }, addMs(EDGE, 1000));
    crash();
    ledger.reserve(1, 'scheduled', addMs(EDGE, ms + 2000));
    crash();
    const now = addMs(EDGE, 3000);
    request({ minute: 28, day: 898 }, now);
    // Reservations that a crash left open count as spent.
    for (const [left, reported] of [
      [dayLeft(now), 898],
      [minuteLeft(now), 28],
    ]) {
      expect(left).toBeLessThanOrEqual(reported as number);
      expect(left).toBeGreaterThanOrEqual((reported as number) - 2);
    }
    expect(ledger.reserve(1, 'scheduled', addMs(now, 1000)).kind).toBe('granted');
  });

  test('within one process keeps the counts of the day that it is', () => {
    request({ minute: 30, day: 900 }, EDGE);
    ledger.reserve(1, 'scheduled', addMs(EDGE, 40 * DAY_MS));
    const now = addMs(EDGE, 1000);
    request({ minute: 29, day: 899 }, now);
    expect(ledger.state(now).spentToday).toBe(2);
  });

  test.each(AHEAD)('of %i ms does not prolong a pause that was demanded then', (ms) => {
    request({ minute: 30, day: 900 }, addMs(EDGE, ms));
    ledger.pauseUntil(addMs(EDGE, ms + 30 * SECOND_MS), 'service_busy');
    crash();
    expect(ledger.reserve(1, 'scheduled', EDGE)).toMatchObject({ kind: 'refused', why: 'paused' });
    expect(ledger.reserve(1, 'scheduled', addMs(EDGE, 31 * SECOND_MS)).kind).toBe('granted');
  });

  test('a new day begins at its midnight, not at that of the clock that was ahead', () => {
    request({ minute: 30, day: 900 }, addMs(EDGE, 40 * DAY_MS));
    request({ minute: 29, day: 899 }, EDGE);
    expect(ledger.state(EDGE).spentToday).toBe(2);
    request({ minute: 30, day: 1000 }, addMs(MIDNIGHT, 20 * SECOND_MS));
    expect(ledger.state(addMs(MIDNIGHT, 30 * SECOND_MS)).spentToday).toBe(1);
  });
});
