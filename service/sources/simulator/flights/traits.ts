import type { Dice } from '#lib/random/seeded-random.ts';
import type { Coverage } from './reception.ts';

/** Which values a flight reports, from its start to its end. */
export interface Traits {
  readonly reportsAltitude: boolean;
  readonly reportsHeight: boolean;
  readonly reportsSpeed: boolean;
  readonly reportsHeading: 'always' | 'moving' | 'never';
  readonly reportsConfidence: boolean;
  readonly reportsScore: boolean;
  /** Received from orbit: a confidence label that the contract does not name. */
  readonly isSpaceBased: boolean;
  /** The share of time in which several stations receive it. */
  readonly severalShare: number;
  readonly isTest: boolean;
  /** The emergency state that it reports before an emergency. */
  readonly calmState: 'unknown' | null;
  readonly emergency: { readonly state: string; readonly fromPart: number } | undefined;
}

/** One track in `every` sends test broadcasts. `first` is small, so that small fleets have one too. */
const TEST_DRONE = { every: 9, first: 4 };
const TEST_AIRCRAFT = { every: 160, first: 10 };
/** Two in a thousand are air ambulances: while one of them is between its flights the other one is in the air. */
const AMBULANCES = [
  { every: 1000, first: 5 },
  { every: 1000, first: 35 },
];

/** readsb's names for the emergency/priority status of ADS-B (DO-260B). */
const AIRCRAFT_EMERGENCIES = ['general', 'nordo', 'lifeguard', 'minfuel'];

const isOneOf = ({ every, first }: { every: number; first: number }, index: number) => index % every === first;

export function aircraftTraits(index: number, coverage: Coverage, dice: Dice): Traits {
  return {
    reportsAltitude: !dice.chance(0.03),
    reportsHeight: dice.chance(0.3),
    reportsSpeed: !dice.chance(0.03),
    reportsHeading: dice.chance(0.03) ? 'never' : 'always',
    reportsConfidence: !dice.chance(0.04),
    reportsScore: !dice.chance(0.05),
    isSpaceBased: coverage === 'remote' && dice.chance(0.4),
    severalShare: { dense: 0.8, sparse: 0.45, remote: 0.08 }[coverage],
    isTest: isOneOf(TEST_AIRCRAFT, index),
    calmState: dice.chance(0.08) ? null : 'unknown',
    emergency: aircraftEmergency(index, dice),
  };
}

function aircraftEmergency(index: number, dice: Dice): Traits['emergency'] {
  if (AMBULANCES.some((each) => isOneOf(each, index))) return { state: 'lifeguard', fromPart: 0 };
  if (!dice.chance(0.006)) return undefined;
  return { state: dice.pick(AIRCRAFT_EMERGENCIES), fromPart: dice.between(0.2, 0.7) };
}

export function droneTraits(index: number, dice: Dice): Traits {
  return {
    reportsAltitude: !dice.chance(0.06),
    reportsHeight: !dice.chance(0.1),
    reportsSpeed: !dice.chance(0.04),
    reportsHeading: dice.chance(0.08) ? 'never' : dice.chance(0.4) ? 'moving' : 'always',
    reportsConfidence: !dice.chance(0.05),
    reportsScore: !dice.chance(0.08),
    isSpaceBased: false,
    severalShare: 0.35,
    isTest: isOneOf(TEST_DRONE, index),
    calmState: dice.chance(0.15) ? null : 'unknown',
    emergency: dice.chance(0.03) ? { state: 'emergency', fromPart: dice.between(0.4, 0.8) } : undefined,
  };
}
