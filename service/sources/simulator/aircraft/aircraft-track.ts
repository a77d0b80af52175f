import type { Bbox } from '#lib/geo/bbox.ts';
import { distanceM } from '#lib/geo/great-circle.ts';
import { type Dice, makeDice, seededKey, seededUnit } from '#lib/random/seeded-random.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { extentAround, extentsAlong } from '../flights/extent.ts';
import { receptionOf } from '../flights/reception.ts';
import { placeInSlot, type Track } from '../flights/track.ts';
import { aircraftTraits } from '../flights/traits.ts';
import { profileWithin } from '../motion/motion-profile.ts';
import type { Movement } from '../motion/movement.ts';
import type { AircraftTask } from './aircraft-allotment.ts';
import { type Airport, codeNumber } from './airports.ts';
import { airwayDeviationM } from './airway.ts';
import { circuitFlight } from './circuit-flight.ts';
import { performanceBetween } from './performance.ts';
import { transportFlight } from './transport-flight.ts';

const CIRCUIT_SLOT_MS = 55 * MINUTE_MS;
const CIRCUIT_MS = 52 * MINUTE_MS;
const CIRCUIT_REACH_M = 12_000;
/** How long an airport uses one runway direction. */
const RUNWAY_SPELL_MS = 6 * 60 * MINUTE_MS;
const HOLD_SHARE = 0.3;
/** How far holds and turns reach beyond the end of the airway. */
const TERMINAL_MARGIN_M = 30_000;
/** Room for lateral spacing. A leg between two waypoints bulges by less than a fifth of their deviation. */
const EN_ROUTE_MARGIN_M = 10_000;

/** What all flights of a task share. */
interface Plan {
  readonly slotMs: number;
  readonly extents: readonly Bbox[];
  movement(number: number, slotStartMs: number, dice: Dice): Movement;
}

export function aircraftTrack(seed: number, index: number, task: AircraftTask): Track {
  const trackKey = seededKey(seed, 1, index);
  const plan = task.kind === 'circuit' ? circuitPlan(seed, task.field) : transportPlan(seed, task, makeDice(trackKey));
  const slot = { slotMs: plan.slotMs, phaseMs: Math.floor(plan.slotMs * seededUnit(trackKey, 1)) };
  return {
    ...slot,
    extents: plan.extents,
    flight(number) {
      const key = seededKey(trackKey, 2, number);
      const dice = makeDice(key);
      const { path, profile } = plan.movement(number, slot.phaseMs + number * slot.slotMs, dice);
      // Turns can take one flight in 40,000 up to three minutes longer than its slot.
      const movement = { path, profile: profileWithin(profile, slot.slotMs) };
      return {
        sourceId: `A-${index}-${number}`,
        layer: 'adsb',
        key,
        ...placeInSlot(slot, number, movement.profile.durationMs, dice.between(0, 1)),
        movement,
        reception: receptionOf(task.coverage, plan.slotMs, dice),
        traits: aircraftTraits(index, task.coverage, dice),
      };
    },
  };
}

function circuitPlan(seed: number, field: Airport): Plan {
  return {
    slotMs: CIRCUIT_SLOT_MS,
    extents: [extentAround(field, CIRCUIT_REACH_M)],
    movement: (_number, slotStartMs, dice) =>
      circuitFlight(field, isReversed(seed, field, slotStartMs), dice, CIRCUIT_MS),
  };
}

/** Flights alternate between the two directions. */
function transportPlan(seed: number, { a, b }: { a: Airport; b: Airport }, dice: Dice): Plan {
  const performance = performanceBetween(a, b);
  const cruiseMps = dice.between(...performance.cruiseMps);
  const holdsAnywhere = performance.overheadMs > 20 * MINUTE_MS;
  const holdLaps = holdsAnywhere && dice.chance(HOLD_SHARE) ? dice.integer(1, 3) : 0;
  const lapM = 2 * performance.holdLegM + 2 * Math.PI * performance.turnRadiusM;
  const distance = distanceM(a, b);
  return {
    slotMs: Math.round(
      performance.overheadMs + ((distance * 1.01) / cruiseMps + (holdLaps * lapM) / performance.terminalMps) * 1000,
    ),
    extents: [
      extentAround(a, performance.leaveM + TERMINAL_MARGIN_M),
      ...extentsAlong(a, b, 1.2 * airwayDeviationM(distance) + EN_ROUTE_MARGIN_M),
      extentAround(b, performance.leaveM + TERMINAL_MARGIN_M),
    ],
    movement(number, slotStartMs, flightDice) {
      const [from, to] = number % 2 === 0 ? [a, b] : [b, a];
      const directions = {
        fromReversed: isReversed(seed, from, slotStartMs),
        toReversed: isReversed(seed, to, slotStartMs),
      };
      return transportFlight(seed, { from, to, holdLaps, cruiseMps, ...directions }, flightDice);
    },
  };
}

function isReversed(seed: number, airport: Airport, epochMs: number): boolean {
  return seededUnit(seed, codeNumber(airport.icao), Math.floor(epochMs / RUNWAY_SPELL_MS)) < 0.5;
}
