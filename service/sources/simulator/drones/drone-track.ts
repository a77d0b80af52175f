import { makeDice, seededKey, seededUnit } from '#lib/random/seeded-random.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { extentAround } from '../flights/extent.ts';
import { receptionOf } from '../flights/reception.ts';
import { placeInSlot, type Track } from '../flights/track.ts';
import { droneTraits } from '../flights/traits.ts';
import { droneMission, MISSION_REACH_M } from './drone-mission.ts';
import type { DroneSite } from './drone-sites.ts';

const SLOT_MS = { shortest: 17 * MINUTE_MS, longest: 28 * MINUTE_MS };
/** Between two missions, for a battery change. */
const PAUSE_MS = MINUTE_MS;
/** Share of missions that are lost for good before they end. */
const LOST_FOR_GOOD_SHARE = 0.05;

export function droneTrack(seed: number, index: number, site: DroneSite): Track {
  const trackKey = seededKey(seed, 2, index);
  const slotMs = Math.floor(SLOT_MS.shortest + (SLOT_MS.longest - SLOT_MS.shortest) * seededUnit(trackKey, 1));
  const slot = { slotMs, phaseMs: Math.floor(slotMs * seededUnit(trackKey, 2)) };
  return {
    ...slot,
    extents: [extentAround(site, MISSION_REACH_M)],
    flight(number) {
      const key = seededKey(trackKey, 3, number);
      const dice = makeDice(key);
      const movement = droneMission(site, dice, slotMs - PAUSE_MS);
      const receivedPart = dice.chance(LOST_FOR_GOOD_SHARE) ? dice.between(0.4, 0.85) : 1;
      return {
        sourceId: `D-${index}-${number}`,
        layer: 'rid',
        key,
        ...placeInSlot(slot, number, movement.profile.durationMs * receivedPart, dice.between(0, 0.2)),
        movement,
        reception: receptionOf('drone', slotMs, dice),
        traits: droneTraits(index, dice),
      };
    },
  };
}
