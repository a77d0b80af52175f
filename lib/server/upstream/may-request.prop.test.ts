import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs, epochMs, localInstant } from '#lib/time/instant.ts';
import { Circuit, type PlannedRequests } from './circuit.ts';
import { mayRequest, type Obstacle, obstacleEnd } from './may-request.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const WORK: PlannedRequests = { operation: 'live_adsb', spending: 'scheduled', requests: 1 };
const end = fc.option(
  fc.integer({ min: 1, max: 1000 }).map((ms) => addMs(NOW, ms)),
  { nil: undefined },
);
const own: fc.Arbitrary<readonly (Obstacle | undefined)[]> = fc.array(
  fc.option(
    end.map((until): Obstacle => ({ kind: 'waits', reason: 'not_due', until })),
    { nil: undefined },
  ),
  { maxLength: 4 },
);

test('a request may be made exactly where nothing stands in its way', () => {
  fc.assert(
    fc.property(own, fc.boolean(), fc.boolean(), (obstacles, hasKey, isPaused) => {
      const circuit = new Circuit(() => 0.5);
      if (isPaused) circuit.pauseUntil(addMs(NOW, 500), 'service_busy');
      const isFree = hasKey && !isPaused && obstacles.every((each) => each === undefined);
      expect(mayRequest(WORK, { circuit, hasKey }, NOW, obstacles) === 'yes').toBe(isFree);
    }),
  );
});

test('the reason is the obstacle that ends last; the first one where an end is unknown', () => {
  fc.assert(
    fc.property(own, end, (obstacles, pausedUntil) => {
      const circuit = new Circuit(() => 0.5);
      if (pausedUntil !== undefined) circuit.pauseUntil(pausedUntil, 'service_busy');
      const answer = mayRequest(WORK, { circuit, hasKey: true }, NOW, obstacles);
      const all = [pausedUntil, ...obstacles.map((each) => each && obstacleEnd(each))];
      const present = obstacles.filter((each) => each !== undefined);
      const first = pausedUntil === undefined ? present[0] : undefined;
      if (answer === 'yes') expect(present).toEqual([]);
      else if (first && obstacleEnd(first) === undefined) expect(answer).toBe(first);
      else expect(epochMs(obstacleEnd(answer) ?? NOW)).toBe(Math.max(...all.map((each) => epochMs(each ?? NOW))));
    }),
  );
});

test('a request that has its allowance leaves although the allowance of further tasks is used up', () => {
  const circuit = new Circuit(() => 0.5);
  circuit.allowanceUsedUp(WORK, addMs(NOW, 1000), NOW);
  const access = { circuit, hasKey: true };
  expect(mayRequest(WORK, access, NOW)).toMatchObject({ reason: 'allowance_used_up' });
  const request = { operation: 'live_adsb', layer: 'adsb', target: '/live/adsb', limit: 1, logged: {} } as const;
  expect(mayRequest({ ...request, mode: 'live', isPaged: true }, access, NOW)).toBe('yes');
});
