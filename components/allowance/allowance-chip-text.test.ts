import { describe, expect, test } from 'vitest';
import { Display } from '#lib/client/display/display.ts';
import { LiveFeed } from '#lib/client/live/live-feed.ts';
import { allowanceStatus } from '#lib/client/status/allowance-status.ts';
import { STATUS_ANSWER, STATUS_AT } from '#lib/client/status/status-answer.fixture.ts';
import { addMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { allowanceChipText } from './allowance-chip-text.ts';

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
    expect(figures(5)).toBe('52/60 this min · 8\u202f214 today');
  });

  test('without an allowance the chip says none, however old the report is', () => {
    const without = allowanceStatus({ ...STATUS_ANSWER, has_allowance: false });
    for (const seconds of [5, 3600]) {
      const now = addMs(STATUS_AT, seconds * 1000);
      expect(allowanceChipText(without, { layers, isPast: false, now }).figures).toBe('none');
    }
  });

  test('an old number carries its age, and disappears when its window ends', () => {
    expect(figures(20)).toBe('8\u202f214 today · 20 s old');
    expect(figures(3600)).toBe('8\u202f214 today · 1 h old');
    expect(figures(12 * 3600)).toBe('');
    const justBefore = allowanceStatus({ ...STATUS_ANSWER, as_of: '2026-11-21T12:04:58Z' });
    const after = { layers, isPast: false, now: upstreamInstant(Date.UTC(2026, 10, 21, 12, 5, 1)) };
    expect(allowanceChipText(justBefore, after).figures).toBe('8\u202f214 today');
  });

  test('nothing is shown without a status or without the current time', () => {
    expect(allowanceChipText(undefined, { layers, isPast: false, now: STATUS_AT })).toEqual({
      tone: undefined,
      figures: '',
    });
    expect(allowanceChipText(status, { layers, isPast: false, now: undefined }).figures).toBe('');
  });

  test('a pause is shown without a status, but only for layers that are on, and not in a replay', () => {
    expect(allowanceChipText(undefined, { layers: paused, isPast: false, now: undefined })).toEqual({
      tone: 'warning',
      figures: 'paused',
    });
    expect(allowanceChipText(undefined, { layers: paused, isPast: true, now: undefined }).tone).toBeUndefined();
    const off = { ...paused, adsb: { ...paused.adsb, on: false } };
    expect(allowanceChipText(undefined, { layers: off, isPast: false, now: undefined }).tone).toBeUndefined();
  });
});
