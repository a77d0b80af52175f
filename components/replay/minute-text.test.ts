import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MINUTE_STATES, missingMinutesText } from './minute-text.ts';

test('counts the minutes that are not complete, by state', () => {
  expect(missingMinutesText(['complete', 'failed', 'truncated', 'truncated'])).toBe('2 min incomplete, 1 min failed');
  expect(missingMinutesText(['complete'])).toBe('');
  expect(missingMinutesText(['receivers_lost', 'receivers_lost', 'failed'])).toBe(
    '1 min failed, no receiver was heard for 2 min',
  );
});

test('every state of a minute has its pattern in the band and the legend, and no other state has one', () => {
  const css = readFileSync(new URL('./replay-dock.css', import.meta.url), 'utf8');
  const drawn = [...css.matchAll(/\.band\[data-state="([^"]+)"\]/g)].map(([, state]) => state);
  expect(drawn).toEqual(MINUTE_STATES);
});
