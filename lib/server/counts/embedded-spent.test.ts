import { expect, test } from 'vitest';
import { instantOf } from '#lib/time/instant.ts';
import { declareSpentTodaySuite } from '../ports/spent-today-suite.fixture.ts';
import { EmbeddedSpent } from './embedded-spent.ts';

declareSpentTodaySuite('EmbeddedSpent', async () => {
  const spent = new EmbeddedSpent();
  return [spent, spent];
});

test('however many operators there are, no more than ten thousand are kept', async () => {
  const spent = new EmbeddedSpent();
  const at = instantOf('2026-11-22T23:59:59Z');
  for (let index = 0; index < 10_500; index++) spent.add(`operator ${index}`, 'history', at);
  expect(spent.of('operator 0').past).toBe(0);
  expect(spent.of('operator 10499').past).toBe(1);
});
