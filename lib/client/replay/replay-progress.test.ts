import { describe, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { readyUntil } from './replay-progress.ts';
import type { MinuteState } from './replay-summary.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const minute = (number: number) => addMs(start, number * MINUTE_MS);
const window = { start, end: minute(4) };

function progress(letters: string) {
  const states: Readonly<Record<string, MinuteState>> = { c: 'complete', l: 'loading', f: 'failed' };
  return { minutes: [...letters].map((letter) => states[letter] as MinuteState) };
}

describe('readyUntil', () => {
  test.each([
    ['nothing is loading', 'cccc', 'cccc', 0, 4],
    ['a failed minute is not waited for', 'cfcc', 'ffff', 0, 4],
    ['the first loading minute of either layer', 'cccl', 'cclc', 0, 2],
    ['a minute that is loading at the cursor', 'clcc', 'cccc', 1, 1],
    ['loading minutes before the cursor are passed', 'lccl', 'cccc', 1, 3],
    ['a layer without a requested minute is not waited for', 'cclc', '', 0, 2],
    ['no layer has a requested minute', '', '', 2, 0],
  ])('%s', (_, rid, adsb, cursor, expected) => {
    const ready = readyUntil({ window, cursor: minute(cursor) }, new Set(['rid', 'adsb']), {
      rid: progress(rid),
      adsb: progress(adsb),
    });
    expect(ready).toBe(minute(expected));
  });

  test('a layer that is switched off is not waited for', () => {
    const layers = { rid: progress('cccc'), adsb: progress('llll') };
    expect(readyUntil({ window, cursor: start }, new Set(['rid']), layers)).toBe(window.end);
  });
});
