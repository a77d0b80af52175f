import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { allowanceText } from './allowance-text.ts';

const now = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 30));
const minute = { remaining: 52, reserved: 0, size: 60, resetsAt: addMs(now, 30_000) };

describe('allowanceText', () => {
  test('says what is left, of how much, and when it resets', () => {
    expect(allowanceText(minute, now, 'utc')).toEqual({
      tone: 'neutral',
      left: '52 of 60 left',
      leftPart: 52 / 60,
      reserved: undefined,
      reset: 'Resets at 12:05:00Z (in 30 s)',
    });
    expect(allowanceText({ ...minute, remaining: 8214, size: 10_000 }, now, 'utc').left).toBe(
      '8\u202f214 of 10\u202f000 left',
    );
  });

  test('what is not known is said, and never 0', () => {
    const unknown = allowanceText({ ...minute, remaining: undefined, reserved: 1 }, now, 'utc');
    expect(unknown).toMatchObject({ left: 'not known yet', leftPart: undefined, reserved: undefined, tone: 'neutral' });
    expect(allowanceText({ ...minute, size: undefined }, now, 'utc')).toMatchObject({
      left: '52 left',
      leftPart: undefined,
    });
  });

  test('almost used up and used up are words and a tone', () => {
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

  test('requests that are granted and have not left are told', () => {
    expect(allowanceText({ ...minute, reserved: 3 }, now, 'utc').reserved).toBe(
      '3 granted to requests that have not left yet',
    );
  });

  test('a reset that is over is not counted down, nor is one where now is not known', () => {
    expect(allowanceText(minute, addMs(now, 30_000), 'utc').reset).toBe(
      'Reset was due at 12:05:00Z, no new number yet',
    );
    expect(allowanceText(minute, undefined, 'utc').reset).toBe('Resets at 12:05:00Z');
  });

  test('the bar never leaves its frame, whatever numbers are told', () => {
    const number = fc.option(fc.nat(100), { nil: undefined });
    fc.assert(
      fc.property(number, number, fc.nat(5), (remaining, size, reserved) => {
        const { leftPart, left } = allowanceText({ ...minute, remaining, size, reserved }, now, 'utc');
        if (leftPart !== undefined) expect(leftPart).toSatisfy((part: number) => part >= 0 && part <= 1);
        expect(left).not.toMatch(/NaN|undefined|Infinity/);
        expect(left === 'not known yet').toBe(remaining === undefined);
      }),
    );
  });
});
