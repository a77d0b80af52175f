import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALARM_KINDS } from '#lib/zones/alarm.ts';
import { zonePayload } from './mqtt-messages.ts';
import { zoneStateOf } from './zone-state.fixture.ts';

const anyState = fc
  .record({
    hasEntryRule: fc.boolean(),
    watched: fc.constantFrom('watched' as const, 'partly' as const, 'not_watched' as const, null),
    open: fc.array(
      fc.record({
        kind: fc.constantFrom(...ALARM_KINDS),
        count: fc.integer({ min: 1, max: 99 }),
        simulated: fc.boolean(),
        test: fc.boolean(),
        expected: fc.boolean(),
      }),
      { maxLength: 5 },
    ),
  })
  .map(zoneStateOf);

test('is OFF, or 0, only where the zone is fully watched', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const { occupied, open_alarms, watched } = zonePayload('a', state);
      if (watched !== 'watched') expect([occupied, open_alarms]).not.toEqual(expect.arrayContaining(['OFF']));
      if (watched !== 'watched') expect(open_alarms).not.toBe(0);
      if (watched === 'not_watched' || watched === 'not_now') expect([occupied, open_alarms]).toEqual([null, null]);
      if (!state.hasEntryRule) expect(occupied).not.toBe('OFF');
      if (state.open.some(({ kind }) => kind === 'entered')) expect(occupied).not.toBe('OFF');
    }),
  );
});

test('says why a zone is not watched', () => {
  const state = zoneStateOf({ watched: 'not_watched', reason: 'receivers_lost' });
  expect(zonePayload('a', state)).toMatchObject({ watched: 'not_watched', watched_reason: 'receivers_lost' });
  expect(zonePayload('a', zoneStateOf())).toMatchObject({ watched: 'watched', watched_reason: null });
});

test('counts no permitted alarm, and tags those that are not real', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const { open_alarms, simulated, test: tests } = zonePayload('a', state);
      const announced = state.open.filter(({ expected }) => !expected);
      const total = announced.reduce((sum, { count }) => sum + count, 0);
      if (open_alarms !== null) expect(open_alarms).toBe(total);
      expect(Math.max(simulated, tests)).toBeLessThanOrEqual(total);
      expect(simulated > 0).toBe(announced.some((each) => each.simulated));
    }),
  );
});
