import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import type { MinuteState } from '#lib/client/replay/replay-summary.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { MINUTE_STATES, missingMinutesText, missingReceptionText, positionsText } from './minutes.ts';

test('counts the minutes that are not complete, by state', () => {
  expect(missingMinutesText(['complete', 'failed', 'truncated', 'truncated'])).toBe('2 min incomplete, 1 min failed');
  expect(missingMinutesText(['complete'])).toBe('');
  const night = ['receivers_lost', 'receivers_lost', 'failed', 'receivers_partly'] as const;
  expect(missingMinutesText(night)).toBe('1 min failed');
  const { receivers_lost: lost, receivers_partly: partly } = RECEPTIONS;
  expect(missingReceptionText(night, ['receivers_lost'])).toBe(
    `${lost.past} within 2 of 4 min, ${partly.past} within 1 of 4 min`,
  );
  expect(missingReceptionText(['not_equipped', 'not_equipped'], [])).toBe(RECEPTIONS.not_equipped.past);
});

test('no positions are counted only where minutes were loaded and received', () => {
  const start = upstreamInstant(Date.UTC(2026, 10, 21, 12));
  const said = (observations: number, minutes: readonly MinuteState[], length = minutes.length) =>
    positionsText({ on: true, minutes, observations }, { start, end: addMs(start, length * MINUTE_MS) }, undefined);
  expect(said(0, [], 30)).toBe('not loaded');
  expect(said(0, ['not-requested', 'not-requested'])).toBe('not loaded');
  expect(said(0, ['loading', 'loading'])).toBe('loading');
  expect(said(0, ['failed', 'loading'])).toBe('failed');
  expect(said(0, ['receivers_lost', 'receivers_lost'])).toBe(RECEPTIONS.receivers_lost.past);
  expect(said(0, ['complete', 'complete'])).toBe('0 positions');
  expect(said(0, ['complete', 'not-requested'])).toBe('0 positions in 1 of 2 min');
  expect(said(12, ['complete', 'truncated', 'failed'], 30)).toBe('12 positions in 2 of 30 min');
  expect(said(1, ['complete'])).toBe('1 position');
});

test('every state of a minute has its pattern in the band and the legend, and no other state has one', () => {
  const css = readFileSync(new URL('./replay-dock.css', import.meta.url), 'utf8');
  const drawn = [...css.matchAll(/\.band\[data-state="([^"]+)"\]/g)].map(([, state]) => state);
  expect(drawn).toEqual(MINUTE_STATES);
});
