import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { MINUTE_STATES, missingMinutesText, missingReceptionText } from './minutes.ts';

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

test('every state of a minute has its pattern in the band and the legend, and no other state has one', () => {
  const css = readFileSync(new URL('./replay-dock.css', import.meta.url), 'utf8');
  const drawn = [...css.matchAll(/\.band\[data-state="([^"]+)"\]/g)].map(([, state]) => state);
  expect(drawn).toEqual(MINUTE_STATES);
});
