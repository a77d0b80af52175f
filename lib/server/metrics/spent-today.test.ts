import { expect, test } from 'vitest';
import { instantOf } from '#lib/time/instant.ts';
import { SpentToday } from './spent-today.ts';

const evening = instantOf('2026-11-22T23:59:59Z');
const midnight = instantOf('2026-11-23T00:00:00Z');

test('requests count for the operator who caused them, until midnight UTC', () => {
  const spent = new SpentToday();
  for (const spending of ['history', 'history', 'first-view', 'scheduled'] as const)
    spent.add('ada', spending, evening);
  expect(spent.of('ada', evening)).toEqual({ past: 2, firstViews: 1 });
  expect(spent.of('ben', evening)).toEqual({ past: 0, firstViews: 0 });
  expect(spent.of('ada', midnight)).toEqual({ past: 0, firstViews: 0 });
  spent.add('ada', 'history', midnight);
  expect(spent.of('ada', midnight)).toEqual({ past: 1, firstViews: 0 });
});

test('however many operators there are, no more than a thousand are kept', () => {
  const spent = new SpentToday();
  for (let index = 0; index < 1500; index++) spent.add(`operator ${index}`, 'history', evening);
  expect(spent.of('operator 0', evening).past).toBe(0);
  expect(spent.of('operator 1499', evening).past).toBe(1);
});
