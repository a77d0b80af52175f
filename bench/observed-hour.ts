import type { ObservationColumns } from '#lib/client/replay/store/observation-columns.ts';
import { byName, FLAG_DRONE, NUMBER_NAMES } from '#lib/model/record-fields.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

const START_MS = Date.UTC(2026, 10, 21, 10);
export const OBSERVED_HOUR: Window = { start: upstreamInstant(START_MS), end: upstreamInstant(START_MS + HOUR_MS) };

/** Every tenth track is a drone. */
const DRONE_EVERY = 10;

export interface ObservedHour {
  readonly tracks: number;
  readonly observations: number;
  /** Observations per part; a part covers one span of time. */
  readonly partSize: number;
}

/**
 * An hour of tracks, some observed often and most rarely, in parts that are not ordered by time. The numbers are made
 * up: they fill every column, with some values unreported.
 */
export function* observedHour({ tracks, observations, partSize }: ObservedHour): Generator<ObservationColumns> {
  const refs = Array.from({ length: tracks }, (_, track) => {
    const letter = track % DRONE_EVERY === 0 ? 'D' : 'A';
    return `RX-${letter}-${track.toString(16).toUpperCase().padStart(16, '0')}`;
  });
  const parts = Math.ceil(observations / partSize);
  // A step that is coprime to the number of parts visits each of them once, far from the one before.
  let step = Math.floor(parts * 0.618) + 1;
  while (greatestCommonDivisor(step, parts) !== 1) step++;
  for (let visit = 0; visit < parts; visit++) {
    const first = ((visit * step) % parts) * partSize;
    yield part(refs, first, Math.min(partSize, observations - first), HOUR_MS / observations);
  }
}

function part(refs: readonly string[], first: number, count: number, everyMs: number): ObservationColumns {
  const column = (numberOf: (observation: number) => number) =>
    Float64Array.from({ length: count }, (_, index) => numberOf(first + index));
  const trackOf = (observation: number) => Math.floor(scattered(observation) ** 2 * refs.length);
  const isDrone = (observation: number) => trackOf(observation) % DRONE_EVERY === 0;
  return {
    count,
    refs,
    refIndex: Uint32Array.from({ length: count }, (_, index) => trackOf(first + index)),
    labels: [undefined, 'single', 'multi_station', 'unknown'],
    flags: Uint8Array.from({ length: count }, (_, index) => (isDrone(first + index) ? FLAG_DRONE : 0)),
    confidence: Uint16Array.from({ length: count }, (_, index) => index % 3),
    emergencyState: new Uint16Array(count).fill(3),
    ...byName(NUMBER_NAMES, () => column(() => Number.NaN)),
    observedAtMs: column((observation) => START_MS + Math.floor(observation * everyMs)),
    lon: column((observation) => 5 + (trackOf(observation) % 60) / 12 + (observation * everyMs) / HOUR_MS / 100),
    lat: column((observation) => 45 + trackOf(observation) / 600),
    altitudeM: column((observation) => (observation % 17 === 0 ? Number.NaN : (observation * 37) % 12_500)),
    heightAglM: column((observation) => (isDrone(observation) ? observation % 150 : Number.NaN)),
    speedMps: column((observation) => (observation * 7) % 250),
    headingDeg: column((observation) => (observation % 23 === 0 ? Number.NaN : (observation * 11) % 360)),
    confidenceScore: column((observation) => (observation % 100) / 100),
    receiverCount: column((observation) => observation % 6),
  };
}

/** A deterministic number in [0, 1); neighbours are far apart (a multiplicative hash). */
function scattered(value: number): number {
  return (Math.imul(value + 1, 2_654_435_761) >>> 0) / 2 ** 32;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
