import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Display } from '#lib/client/display/display.ts';
import { LiveFeed } from '#lib/client/live/live-feed.ts';
import { STATUS_ANSWER, STATUS_AT } from '#lib/client/status/status-answer.fixture.ts';
import { allowanceStatus } from '#lib/client/status/status-query.ts';
import { addMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { allowanceChipText, allowanceText, paceText, reportedAtText, statusFailureMessage } from './allowance-text.ts';

const asOf = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 30));

test('recent numbers need no age; older ones, and those of unknown age, say when they were reported', () => {
  expect(reportedAtText(asOf, addMs(asOf, 15_000), 'utc')).toBeUndefined();
  expect(reportedAtText(asOf, addMs(asOf, 40_000), 'utc')).toBe('Reported at 12:04:30Z, 40 s ago');
  expect(reportedAtText(asOf, undefined, 'utc')).toBe('Reported at 12:04:30Z');
});

const now = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 30));
const minute = { remaining: 52, reserved: 0, size: 60, resetsAt: addMs(now, 30_000) };

describe('allowanceText', () => {
  test('says what is left, of how much, and when it resets', () => {
    expect(allowanceText(minute, now, 'utc')).toEqual({
      tone: 'neutral',
      left: '52 of 60 left',
      leftFraction: 52 / 60,
      reserved: undefined,
      reset: 'Resets at 12:05:00Z (in 30 s)',
    });
    expect(allowanceText({ ...minute, remaining: 8214, size: 10_000 }, now, 'utc').left).toBe(
      '8\u202f214 of 10\u202f000 left',
    );
  });

  test('an unknown number is called unknown, never 0', () => {
    const unknown = allowanceText({ ...minute, remaining: undefined, reserved: 1 }, now, 'utc');
    expect(unknown).toMatchObject({
      left: 'not known yet',
      leftFraction: undefined,
      reserved: undefined,
      tone: 'neutral',
    });
    expect(allowanceText({ ...minute, size: undefined }, now, 'utc')).toMatchObject({
      left: '52 left',
      leftFraction: undefined,
    });
  });

  test('almost used up and used up change the text and the tone', () => {
    expect(allowanceText({ ...minute, remaining: 3 }, now, 'utc')).toMatchObject({
      tone: 'warning',
      left: '3 of 60 left, almost used up',
    });
    expect(allowanceText({ ...minute, remaining: 0 }, now, 'utc')).toMatchObject({
      tone: 'warning',
      left: '0 of 60 left, used up',
    });
    expect(allowanceText({ ...minute, remaining: 0, size: undefined }, now, 'utc').left).toBe('0 left, used up');
  });

  test('shows reserved requests', () => {
    expect(allowanceText({ ...minute, reserved: 3 }, now, 'utc').reserved).toBe('3 reserved for requests not sent yet');
  });

  test('a reset in the past has no countdown, nor has one while the current time is unknown', () => {
    expect(allowanceText(minute, addMs(now, 30_000), 'utc').reset).toBe(
      'Reset was due at 12:05:00Z, no new number yet',
    );
    expect(allowanceText(minute, undefined, 'utc').reset).toBe('Resets at 12:05:00Z');
  });

  test('the bar stays between 0 and 1, whatever numbers are reported', () => {
    const number = fc.option(fc.nat(100), { nil: undefined });
    fc.assert(
      fc.property(number, number, fc.nat(5), (remaining, size, reserved) => {
        const { leftFraction, left } = allowanceText({ ...minute, remaining, size, reserved }, now, 'utc');
        if (leftFraction !== undefined) expect(leftFraction).toSatisfy((part: number) => part >= 0 && part <= 1);
        expect(left).not.toMatch(/NaN|undefined|Infinity/);
        expect(left === 'not known yet').toBe(remaining === undefined);
      }),
    );
  });
});

describe('paceText', () => {
  test.each([
    [undefined, 'not known yet'],
    [0, 'no requests'],
    [0.004, 'less than 1 request an hour'],
    [0.0167, 'about 1 request an hour'],
    [0.3, 'about 18 requests an hour'],
    [0.97, 'about 1 request a minute'],
    [2.54, 'about 2.5 requests a minute'],
    [9.97, 'about 10 requests a minute'],
    [11.7, 'about 12 requests a minute'],
    [1234, 'about 1\u202f234 requests a minute'],
  ])('%s requests a minute', (perMinute, expected) => {
    expect(paceText(perMinute)).toBe(expected);
  });

  test('a pace above 0 never reads as none', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e5, noNaN: true }), (perMinute) => {
        expect(paceText(perMinute)).not.toMatch(/\b0 |no requests/);
      }),
    );
  });
});

const since = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
const kinds = ['unreachable', 'refused', 'unreadable', 'signed-out'] as const;

test('each failure has a message of its own, with its time if that is known', () => {
  expect(statusFailureMessage({ kind: 'unreachable', since }, 'utc')).toBe(
    'No answer from Lookout’s own server since 12:04:31Z',
  );
  expect(statusFailureMessage({ kind: 'unreachable', since: undefined }, 'utc')).toBe(
    'No answer from Lookout’s own server',
  );
  expect(new Set(kinds.map((kind) => statusFailureMessage({ kind, since }, 'utc'))).size).toBe(kinds.length);
});

const status = allowanceStatus(STATUS_ANSWER);
const { layers } = new Display(
  new LiveFeed({ monotonicMs: () => 0, wallNow: () => localInstant(0) }),
  () => 0,
).summary();
const paused = { ...layers, adsb: { ...layers.adsb, state: 'limited' } as const };
const figures = (secondsLater: number) =>
  allowanceChipText(status, { layers, isPast: false, now: addMs(STATUS_AT, secondsLater * 1000) }).figures;

describe('allowanceChipText', () => {
  test('recent numbers carry no age', () => {
    expect(figures(5)).toEqual(['52/60 this min', '8\u202f214 today']);
  });

  test('without an allowance there are no figures, however old the report is', () => {
    const without = allowanceStatus({ ...STATUS_ANSWER, has_allowance: false });
    for (const seconds of [5, 3600]) {
      const now = addMs(STATUS_AT, seconds * 1000);
      expect(allowanceChipText(without, { layers, isPast: false, now }).figures).toEqual([]);
    }
  });

  test('an old number carries its age, and disappears when its window ends', () => {
    expect(figures(20)).toEqual(['8\u202f214 today', '20 s old']);
    expect(figures(3600)).toEqual(['8\u202f214 today', '1 h old']);
    expect(figures(12 * 3600)).toEqual([]);
    const justBefore = allowanceStatus({ ...STATUS_ANSWER, as_of: '2026-11-21T12:04:58Z' });
    const after = { layers, isPast: false, now: upstreamInstant(Date.UTC(2026, 10, 21, 12, 5, 1)) };
    expect(allowanceChipText(justBefore, after).figures).toEqual(['8\u202f214 today']);
  });

  test('nothing is shown without a status or without the current time', () => {
    expect(allowanceChipText(undefined, { layers, isPast: false, now: STATUS_AT })).toEqual({
      tone: undefined,
      figures: [],
    });
    expect(allowanceChipText(status, { layers, isPast: false, now: undefined }).figures).toEqual([]);
  });

  test('a pause is shown without a status, but only for layers that are on, and not in a replay', () => {
    expect(allowanceChipText(undefined, { layers: paused, isPast: false, now: undefined })).toEqual({
      tone: 'warning',
      figures: ['paused'],
    });
    expect(allowanceChipText(undefined, { layers: paused, isPast: true, now: undefined }).tone).toBeUndefined();
    const off = { ...paused, adsb: { ...paused.adsb, on: false } };
    expect(allowanceChipText(undefined, { layers: off, isPast: false, now: undefined }).tone).toBeUndefined();
  });
});
