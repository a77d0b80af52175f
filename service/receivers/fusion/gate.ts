import { distanceM } from '#lib/geo/great-circle.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Fix } from '../fix.ts';

export interface TimedFix {
  readonly fix: Fix;
  readonly observedMs: number;
  readonly slackMs: number;
}

const KNOT_MPS = 1852 / 3600;

/** The figures of readsb's speed check (`track.c`). */
const AIRCRAFT = {
  placeM: 30,
  timeMs: 0.2 * SECOND_MS,
  unknownMps: 900 * KNOT_MPS,
  unknownOnGroundMps: 120 * KNOT_MPS,
  maxMps: 2000 * KNOT_MPS,
  /** A speed may grow by this each second. */
  growthMps: 3 * KNOT_MPS,
};
/** Positions that may have been measured from the ground. */
const MEASURED = { speedFactor: 1.4, speedMps: 50 * KNOT_MPS, placeM: 250 };
const DRONE = { placeM: 20, timeMs: SECOND_MS, unknownMps: 30, maxMps: 150 };
const SPEED_MARGIN = 1.3;
/** A claimed accuracy counts up to this: some are kilometres. */
const ACCURACY_MAX_M = 500;

function reachM(from: TimedFix, to: TimedFix): number {
  const apartMs = Math.abs(to.observedMs - from.observedMs) + from.slackMs + to.slackMs;
  return from.fix.layer === 'adsb' ? aircraftReachM(from.fix, to.fix, apartMs) : droneReachM(from.fix, to.fix, apartMs);
}

/** Whether a track can have moved from one fix to the other in their time, with the uncertainty of both. */
export function isReachable(from: TimedFix, to: TimedFix): boolean {
  return distanceM(from.fix, to.fix) <= reachM(from, to);
}

function aircraftReachM(from: Fix, to: Fix, apartMs: number): number {
  const unknownMps = from.onGround && to.onGround ? AIRCRAFT.unknownOnGroundMps : AIRCRAFT.unknownMps;
  const reportedMps = Math.max(from.speedMps ?? -1, to.speedMps ?? -1);
  let speedMps = (reportedMps < 0 ? unknownMps : reportedMps) + (AIRCRAFT.growthMps * apartMs) / SECOND_MS;
  let placeM = AIRCRAFT.placeM;
  if (isMeasured(from) || isMeasured(to)) {
    speedMps = speedMps * MEASURED.speedFactor + MEASURED.speedMps;
    placeM += MEASURED.placeM;
  }
  speedMps = Math.min(speedMps, AIRCRAFT.maxMps);
  return placeM + (speedMps * SPEED_MARGIN * (apartMs + AIRCRAFT.timeMs)) / SECOND_MS;
}

function isMeasured({ origin }: Fix): boolean {
  return origin !== 'broadcast' && origin !== 'rebroadcast';
}

function droneReachM(from: Fix, to: Fix, apartMs: number): number {
  const reportedMps = Math.max(from.speedMps ?? 0, to.speedMps ?? 0, DRONE.unknownMps);
  const speedMps = Math.min(reportedMps, DRONE.maxMps);
  const accuracyM = Math.min(Math.max(from.accuracyM ?? 0, to.accuracyM ?? 0), ACCURACY_MAX_M);
  return DRONE.placeM + accuracyM + (speedMps * SPEED_MARGIN * (apartMs + DRONE.timeMs)) / SECOND_MS;
}
