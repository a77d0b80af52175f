import { describe, expect, test } from 'vitest';
import type { Receiver } from '#lib/api/receivers/receivers-answer.ts';
import { parseInstant } from '#lib/time/instant.ts';
import {
  clockErrorText,
  countsText,
  deafText,
  lastReceivedText,
  rateText,
  receiverStateText,
  recordedText,
  requestFacts,
  unreadText,
} from './receivers-page.tsx';

const SINCE = '2026-11-23T12:00:00.000Z';
const roof: Receiver = {
  id: 'roof',
  url: 'http://pi.local/tar1090',
  aggregates: false,
  simulated: false,
  state: 'receiving',
  since: SINCE,
  problem: null,
  last_heard_at: SINCE,
  last_position_at: SINCE,
  positions_per_minute: 0,
  refused: {},
  not_served: {},
  clock_error_ms: null,
  clock_is_used: null,
  deaf: null,
};
const present = { now: parseInstant('2026-11-23T12:03:02Z'), zone: 'utc' } as const;
const earlier = { now: undefined, zone: 'utc' } as const;

describe('a feed of another service', () => {
  const requests = { needed: 17_280, limit: 20_000, used: 1234, account_left: null };

  test('shows the requests of the day, used and left, and never 0 for what is not known', () => {
    expect(requestFacts({ ...roof, requests })).toEqual([
      ['Requests today', '1\u202f234 of 20\u202f000, 18\u202f766 left'],
      ['Needed a day', '17\u202f280 or more'],
      ['Left at its account', 'not known'],
    ]);
    expect(requestFacts({ ...roof, requests: { ...requests, account_left: 0 } })[2]).toEqual([
      'Left at its account',
      '0',
    ]);
  });

  test('has requests, and a receiver has none', () => {
    expect(requestFacts({ ...roof, requests: null })).toEqual([]);
    expect(requestFacts(roof)).toEqual([]);
  });
});

describe('a receiver', () => {
  test('that never sent a message has no age and no positions, rather than 0', () => {
    expect(lastReceivedText(null, present)).toBe('not yet heard');
    expect(lastReceivedText(SINCE, present)).toBe('3 min ago');
    expect(rateText({ ...roof, last_position_at: null })).toBe('none yet');
    expect(rateText(roof)).toBe('0');
  });

  test('of an earlier status has times, and no growing ages', () => {
    expect(lastReceivedText(SINCE, earlier)).toBe('2026-11-23 12:00:00Z');
    expect(receiverStateText(roof, earlier)).toBe('Connected since 2026-11-23 12:00:00Z.');
  });

  test('that hears little says how little, and since when', () => {
    const deaf = { share: 0.354, since: '2026-11-20T14:00:00.000Z' };
    expect(deafText(deaf, present)).toBe(
      'Hears 35% of what it usually does, since Friday 14:00Z. Check its antenna, cable and amplifier.',
    );
    expect(deafText(deaf, earlier)).toBe('Hears 35% of what it usually does, since 2026-11-20 14:00Z.');
    expect(deafText({ ...deaf, since: '2026-11-10T14:00:00.000Z' }, present)).toContain('since 2026-11-10 14:00Z.');
  });

  test('says since when it is down, and why', () => {
    expect(receiverStateText({ ...roof, state: 'lost', problem: 'nothing listens there' }, present)).toBe(
      'Down since 2026-11-23 12:00:00Z, 3 min ago: nothing listens there. It is tried again by itself.',
    );
    expect(receiverStateText({ ...roof, state: 'lost', problem: 'nothing listens there' }, earlier)).toBe(
      'Down since 2026-11-23 12:00:00Z: nothing listens there.',
    );
    expect(receiverStateText({ ...roof, state: 'silent' }, present)).toMatch(/^Silent\. Connected since/);
    expect(receiverStateText({ ...roof, state: 'connecting' }, present)).toMatch(/^Not connected yet, tried since/);
  });

  test('says how wrong its clock is and whether it counts, or that it is not known', () => {
    const clock = (errorMs: number | null, isUsed: boolean | null = true) =>
      clockErrorText({ ...roof, clock_error_ms: errorMs, clock_is_used: isUsed });
    expect(clock(null, null)).toBe('not known');
    expect([0, -49, 3100, -500].map((ms) => clock(ms))).toEqual([
      'less than 0.1 s',
      'less than 0.1 s',
      '3.1 s ahead',
      '0.5 s behind',
    ]);
    expect(clock(61_000, false)).toBe('61.0 s ahead; not used, the time of arrival counts');
  });

  test('lists its refused messages by cause, most frequent first', () => {
    expect(countsText({})).toBe('none');
    expect(countsText({ unreadable: 3, no_position: 212, flood: 0 })).toBe('212 no position, 3 unreadable');
  });
});

test('says why and since when the receivers are unknown', () => {
  expect(unreadText({ cause: 'no_answer', since: SINCE }, 'utc')).toBe(
    'The service that listens to the receivers does not answer. Noticed at 2026-11-23 12:00:00Z.',
  );
});

test('says how far back positions are recorded, and which are not', () => {
  expect(recordedText(null, 'utc')).toBe('Received positions are not recorded.');
  const past = { oldest_at: null, bytes: 0, problem: null, overdue: null, dropped: {} };
  expect(recordedText(past, 'utc')).toBe('Nothing is recorded yet.');
  expect(recordedText({ ...past, oldest_at: SINCE, bytes: 738 }, 'utc')).toMatch(/: less than 0\.1 MB\.$/);
  expect(
    recordedText(
      { oldest_at: SINCE, bytes: 1_250_000, problem: 'disk_full', overdue: null, dropped: { full: 7 } },
      'utc',
    ),
  ).toBe(
    'Nothing is recorded at present: the disk is full. Recorded back to 2026-11-23 12:00:00Z: 1.3 MB. Positions not recorded since the start: 7 full.',
  );
});
