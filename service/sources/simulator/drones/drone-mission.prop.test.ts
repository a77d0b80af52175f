import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceM } from '#lib/geo/great-circle.ts';
import { makeDice } from '#lib/random/seeded-random.ts';
import { motionAt } from '../motion/motion-profile.ts';
import { pointAlong } from '../motion/path.ts';
import { droneMission, MISSION_CEILING_AGL_M, MISSION_REACH_M } from './drone-mission.ts';
import { DRONE_SITES } from './drone-sites.ts';

const DURATION_MS = 18 * 60_000;
const mission = fc
  .record({ site: fc.constantFrom(...DRONE_SITES.alps, ...DRONE_SITES.dateline), key: fc.integer() })
  .map(({ site, key }) => ({ site, movement: droneMission(site, makeDice(key), DURATION_MS) }));

describe('droneMission', () => {
  it('starts and ends on the ground at its site, within the given duration', () => {
    fc.assert(
      fc.property(mission, ({ site, movement: { path, profile } }) => {
        expect(profile.durationMs).toBeLessThanOrEqual(DURATION_MS);
        for (const elapsedMs of [0, profile.durationMs]) {
          const motion = motionAt(profile, elapsedMs);
          expect(motion).toMatchObject({ speedMps: 0, altitudeM: site.elevationM });
          expect(distanceM(pointAlong(path, motion.alongM), site)).toBeLessThan(1);
        }
      }),
    );
  });

  it('stays under the ceiling and within reach of its site, and hovers on the way', () => {
    fc.assert(
      fc.property(mission, ({ site, movement: { path, profile } }) => {
        const seconds = Array.from({ length: Math.ceil(profile.durationMs / 1000) }, (_, second) => {
          const { altitudeM, speedMps, alongM } = motionAt(profile, second * 1000);
          return { heightM: altitudeM - site.elevationM, speedMps, awayM: distanceM(pointAlong(path, alongM), site) };
        });
        const wrong = seconds.filter(
          ({ heightM, speedMps, awayM }) =>
            !(heightM >= 0 && heightM <= MISSION_CEILING_AGL_M && speedMps <= 12 && awayM < MISSION_REACH_M),
        );
        expect(wrong).toEqual([]);
        expect(seconds.some(({ heightM, speedMps }) => speedMps === 0 && heightM > 10)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
