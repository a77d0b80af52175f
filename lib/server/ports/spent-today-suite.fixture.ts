import { beforeEach, describe, expect, test } from 'vitest';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import type { SpentToday } from './spent-today.ts';

const EVENING = instantOf('2026-11-22T23:59:59Z');
const MIDNIGHT = instantOf('2026-11-23T00:00:00Z');

/** The contract of every `SpentToday`. @param make two servers with one new store */
export function declareSpentTodaySuite(name: string, make: () => Promise<readonly [SpentToday, SpentToday]>): void {
  let one: SpentToday;
  let other: SpentToday;
  beforeEach(async () => {
    [one, other] = await make();
  });
  const readsOf = async (operator: string, at: UpstreamInstant) =>
    Promise.all([one, other].map(async (each) => (await each.read(at))(operator)));
  /** At both servers, as soon as they know it. */
  const becomes = (operator: string, at: UpstreamInstant, past: number, firstViews: number) =>
    expect.poll(() => readsOf(operator, at)).toEqual(Array(2).fill({ past, firstViews }));

  describe(`${name} as what operators have spent today`, () => {
    test('requests count for the operator who caused them, at whichever server; those that viewers share for nobody', async () => {
      for (const spending of ['history', 'first-view', 'scheduled', 'history'] as const)
        one.add('ada', spending, EVENING);
      other.add('ada', 'history', EVENING);
      other.add('__proto__ Ünï\n', 'first-view', EVENING);
      await becomes('ada', EVENING, 3, 1);
      await becomes('__proto__ Ünï\n', EVENING, 0, 1);
      await becomes('ben', EVENING, 0, 0);
      one.add('ada', 'first-view', EVENING);
      await becomes('ada', EVENING, 3, 2);
    });

    test('until midnight UTC of the upstream', async () => {
      one.add('ada', 'history', EVENING);
      await becomes('ada', EVENING, 1, 0);
      await becomes('ada', MIDNIGHT, 0, 0);
      other.add('ada', 'first-view', MIDNIGHT);
      await becomes('ada', MIDNIGHT, 0, 1);
    });
  });
}
