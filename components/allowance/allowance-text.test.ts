import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { allowanceText, paceText, reportedAtText } from './allowance-text.ts';

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
