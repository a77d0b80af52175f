import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { minuteLetters } from './progress-lines.ts';
import type { PartStatus } from './split/part.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21, 10));
const between = (fromS: number, toS: number) => ({ start: addMs(start, fromS * 1000), end: addMs(start, toS * 1000) });
const letters = (...parts: [fromS: number, toS: number, status: PartStatus][]) =>
  minuteLetters(
    between(0, 300),
    parts.map(([fromS, toS, status]) => ({ window: between(fromS, toS), status })),
  );

test('a minute has the worst state of its parts, in any order', () => {
  expect(letters([0, 90, 'complete'], [90, 180, 'incomplete'], [180, 300, 'failed'])).toBe('cttff');
  expect(letters([180, 300, 'failed'], [90, 180, 'incomplete'], [0, 90, 'complete'])).toBe('cttff');
  expect(letters([0, 300, 'complete'], [60, 61, 'loading'])).toBe('clccc');
});

test('a loaded minute has what its receivers lacked; what can still be loaded comes first', () => {
  const impaired = (fromS: number, toS: number, state: 'lost' | 'partly' | 'none') => {
    const { start: from, end: to } = between(fromS, toS);
    return { from, to, state };
  };
  const all = (state: 'lost' | 'partly' | 'none') =>
    minuteLetters(
      between(0, 300),
      (['complete', 'incomplete', 'loading', 'failed', 'not-requested'] as const).map((status, minute) => ({
        window: between(minute * 60, minute * 60 + 60),
        status,
      })),
      [impaired(0, 300, state)],
    );
  expect(all('lost')).toBe('rrlfn');
  expect(all('none')).toBe('eelfn');
  expect(all('partly')).toBe('ptlfn');
  const parts = [{ window: between(0, 300), status: 'complete' as const }];
  const stretches = [impaired(59, 61, 'lost'), impaired(61, 121, 'partly'), impaired(240, 300, 'none')];
  expect(minuteLetters(between(0, 300), parts, stretches)).toBe('rrpce');
});

test('a minute without a part is not complete', () => {
  expect(letters([0, 60, 'complete'])).toBe('cnnnn');
  expect(letters()).toBe('nnnnn');
});
