import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Layer } from '#lib/contract/operation.ts';
import { destination, type LonLat } from '#lib/geo/great-circle.ts';
import { type Dice, makeDice } from '#lib/random/dice.fixture.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { loadRecording, type Recording } from '../../sources/recording/load-recording.ts';
import { type ReceivedPosition, SameTracks } from './same-tracks.ts';

const SWISS = join(import.meta.dirname, '../../../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');

interface Arrival {
  readonly arrivesMs: number;
  readonly isOwn: boolean;
  readonly position: ReceivedPosition;
}

interface Source {
  readonly noiseM: number;
  /** How much later it dates positions, and how much one stamp differs from that. */
  readonly lateMs: number;
  readonly jitterMs: number;
  readonly delayMs: readonly [number, number];
}

function gaussian(dice: Dice): number {
  let sum = -6;
  for (let index = 0; index < 12; index += 1) sum += dice.between(0, 1);
  return sum;
}

/** The position as the other source has it: off by its noise, rounded to five decimals, dated and delivered late. */
function receivedElsewhere(
  position: ReceivedPosition,
  { noiseM, lateMs, jitterMs, delayMs }: Source,
  dice: Dice,
): Arrival {
  const away = destination(position, dice.between(0, 360), Math.abs(gaussian(dice)) * noiseM);
  const rounded = (deg: number) => Math.round(deg * 1e5) / 1e5;
  const atMs = Math.round(position.atMs + lateMs + gaussian(dice) * jitterMs);
  return {
    arrivesMs: Math.max(atMs, position.atMs) + dice.between(...delayMs),
    isOwn: false,
    position: {
      ...position,
      trackId: `other ${position.trackId}`,
      atMs,
      lon: rounded(away.lon),
      lat: rounded(away.lat),
    },
  };
}

interface Outcome {
  /** The other tracks that were a track of the receivers, in the order of finding. */
  readonly found: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
}

function follow(arrivals: readonly Arrival[]): Outcome {
  const same = new SameTracks();
  const others = new Set<string>();
  const found = new Map<string, number>();
  const wrong: string[] = [];
  let checkedMs = Number.NEGATIVE_INFINITY;
  const check = (ms: number) => {
    same.advance(ms);
    for (const id of others) {
      const own = same.ownOf(id);
      if (own === undefined) continue;
      if (`other ${own}` === id) found.set(id, found.get(id) ?? ms);
      else wrong.push(`${id} is taken for ${own}`);
    }
  };
  for (const { arrivesMs, isOwn, position } of arrivals.toSorted((a, b) => a.arrivesMs - b.arrivesMs)) {
    if (arrivesMs - checkedMs >= SECOND_MS) {
      checkedMs = arrivesMs;
      check(arrivesMs);
    }
    if (isOwn) same.own(position);
    else {
      same.other('account', position);
      others.add(position.trackId);
    }
  }
  check(checkedMs + 30 * SECOND_MS);
  return { found, wrong };
}

describe.skipIf(!existsSync(SWISS))('over the busiest hour of a recording (skipped without the recordings)', () => {
  test('at least 99% of what two halves of it share become one', { timeout: 120_000 }, async () => {
    const { recording } = await loadRecording(SWISS);
    const rows = rowsOfBusiestHour(recording);
    const doubles: string[] = [];
    const missed: string[] = [];
    const wrong: string[] = [];
    for (let split = 0; split < SPLITS; split += 1) {
      const { arrivals, shared } = splitRows(recording, rows, makeDice(split));
      const outcome = follow(arrivals);
      doubles.push(...shared);
      wrong.push(...outcome.wrong);
      missed.push(...shared.filter((id) => !outcome.found.has(`other ${id}`)));
    }
    expect(wrong).toEqual([]);
    expect(doubles.length).toBeGreaterThan(30);
    expect(missed.length / doubles.length).toBeLessThanOrEqual(0.01);
  });
});

const SPLITS = 5;
/** Two minutes of an aircraft have so many rows. */
const DOUBLE_ROWS = 12;

/** Each half has two thirds of the aircraft, and most of their rows. */
function splitRows(recording: Recording, rows: readonly number[], dice: Dice) {
  const part = recording.trackIds.map(() => dice.integer(0, 2));
  const source: Source = { noiseM: 8, lateMs: dice.between(-400, 400), jitterMs: 100, delayMs: [500, 8000] };
  const arrivals: Arrival[] = [];
  const common = new Map<string, number>();
  for (const row of rows) {
    const half = part[recording.track[row]!];
    const position = positionOf(recording, row);
    const isOwn = half !== 1 && dice.chance(0.85);
    const isOther = half !== 0 && dice.chance(0.85);
    if (isOwn) arrivals.push({ arrivesMs: position.atMs + dice.between(100, 500), isOwn: true, position });
    if (isOther) arrivals.push(receivedElsewhere(position, source, dice));
    if (isOwn && isOther) common.set(position.trackId, (common.get(position.trackId) ?? 0) + 1);
  }
  return { arrivals, shared: [...common].filter(([, count]) => count >= DOUBLE_ROWS).map(([id]) => id) };
}

function rowsOfBusiestHour({ offsetMs, rowCount }: Recording): number[] {
  let best: readonly [number, number] = [0, 0];
  let to = 0;
  for (let from = 0; from < rowCount; from += 1) {
    while (to < rowCount && offsetMs[to]! < offsetMs[from]! + HOUR_MS) to += 1;
    if (to - from > best[1] - best[0]) best = [from, to];
  }
  return Array.from({ length: best[1] - best[0] }, (_, index) => best[0] + index);
}

function positionOf(recording: Recording, row: number): ReceivedPosition {
  const numberOf = (values: Float64Array) => (Number.isNaN(values[row]) ? null : values[row]!);
  return {
    trackId: recording.trackIds[recording.track[row]!]!,
    layer: recording.layer,
    simulated: false,
    atMs: recording.offsetMs[row]!,
    lon: recording.lon[row]!,
    lat: recording.lat[row]!,
    altitudeM: numberOf(recording.altitudeM),
    speedMps: numberOf(recording.speedMps),
    headingDeg: numberOf(recording.headingDeg),
  };
}

type World = 'runways' | 'formation' | 'swarm';
const WORLDS: readonly World[] = ['runways', 'formation', 'swarm'];

interface Flight {
  readonly at: (s: number) => { readonly place: LonLat; readonly speedMps: number; readonly headingDeg: number };
  readonly layer: Layer;
  readonly altitudeM: number;
}

const CENTRE: LonLat = { lon: 8.5, lat: 47.4 };

/** Side by side on approaches, 150 m to 1.5 km apart. */
function runways(dice: Dice): Flight[] {
  const [headingDeg, spacingM] = [dice.between(0, 360), dice.between(150, 1500)];
  const speedMps = dice.between(60, 90);
  return Array.from({ length: dice.integer(2, 8) }, (_, index) => {
    const lane = destination(CENTRE, headingDeg + 90, (index % 3) * spacingM);
    const from = destination(lane, headingDeg, dice.between(-300, 300) - 5000 * Math.floor(index / 3));
    const own = speedMps + dice.between(-1, 1);
    return {
      layer: 'adsb',
      altitudeM: dice.between(300, 900),
      at: (s) => ({ place: destination(from, headingDeg, own * s), speedMps: own, headingDeg }),
    };
  });
}

/** In step, 40 to 300 m apart in any direction, also one behind the other, straight or turning. */
function formation(dice: Dice): Flight[] {
  const [headingDeg, speedMps, turnDps] = [dice.between(0, 360), dice.between(50, 250), dice.pick([0, 0, 0.5, 1.5])];
  const altitudeM = dice.between(300, 9000);
  return Array.from({ length: dice.integer(2, 5) }, (_, index) => {
    const from = index === 0 ? CENTRE : destination(CENTRE, dice.between(0, 360), index * dice.between(40, 300));
    const path = [from];
    for (let s = 1; s <= DURATION_S * 2; s += 1)
      path.push(destination(path[s - 1]!, headingDeg + (turnDps * s) / 2, speedMps / 2));
    return {
      layer: 'adsb',
      altitudeM: altitudeM + dice.between(-30, 30),
      at(s) {
        const step = Math.min(Math.floor(s * 2), path.length - 1);
        const course = headingDeg + turnDps * s;
        return {
          place: destination(path[step]!, course, (s * 2 - step) * (speedMps / 2)),
          speedMps,
          headingDeg: course % 360,
        };
      },
    };
  });
}

/** 5 to 40 m apart, flying in step or hovering, each with a slow wander of its own. */
function swarm(dice: Dice): Flight[] {
  const [headingDeg, speedMps] = [dice.between(0, 360), dice.pick([0, 2, 8, 15])];
  return Array.from({ length: dice.integer(2, 12) }, (_, index) => {
    const from = destination(CENTRE, dice.between(0, 360), index * dice.between(5, 40));
    const [wanderM, period, phase] = [dice.between(0, 3), dice.between(5, 40), dice.between(0, 6)];
    return {
      layer: 'rid',
      altitudeM: 500 + dice.between(-20, 20),
      at: (s) => ({
        place: destination(
          destination(from, headingDeg, speedMps * s),
          90,
          wanderM * Math.sin((s * 6.28) / period + phase),
        ),
        speedMps,
        headingDeg,
      }),
    };
  });
}

const DURATION_S = 150;
const MAKE: Readonly<Record<World, (dice: Dice) => Flight[]>> = { runways, formation, swarm };

function arrivalsOf(world: World, dice: Dice): Arrival[] {
  const source: Source = {
    noiseM: world === 'swarm' ? dice.between(0, 1) : dice.between(0, 10),
    lateMs: dice.between(-400, 400),
    jitterMs: dice.between(0, 150),
    delayMs: [200, dice.between(1000, 8000)],
  };
  const everyS = dice.pick([1, 2, 5, 10]);
  return MAKE[world](dice).flatMap((flight, index) => {
    // Each source misses some aircraft altogether, and messages of the others.
    const [ownPart, otherPart] = [
      dice.chance(0.85) ? dice.between(0.5, 1) : 0,
      dice.chance(0.85) ? dice.between(0.5, 1) : 0,
    ];
    const arrivals: Arrival[] = [];
    const startS = dice.between(0, 1);
    for (let step = 0; startS + step < DURATION_S; step += 1) {
      const atMs = (startS + step) * SECOND_MS;
      const { place, speedMps, headingDeg } = flight.at(startS + step);
      const position: ReceivedPosition = {
        trackId: String(index),
        layer: flight.layer,
        simulated: false,
        atMs,
        ...place,
        altitudeM: flight.altitudeM,
        speedMps,
        headingDeg: ((headingDeg % 360) + 360) % 360,
      };
      if (dice.chance(ownPart)) arrivals.push({ arrivesMs: atMs + dice.between(50, 400), isOwn: true, position });
      if (step % everyS === 0 && dice.chance(otherPart)) arrivals.push(receivedElsewhere(position, source, dice));
    }
    return arrivals;
  });
}

test('in 1000 worlds of parallel runways, formations and swarms, no track is taken for another', {
  timeout: 300_000,
}, () => {
  const wrong: string[] = [];
  const found = { runways: 0, formation: 0, swarm: 0 };
  for (let index = 0; index < 1000; index += 1) {
    const world = WORLDS[index % WORLDS.length]!;
    const outcome = follow(arrivalsOf(world, makeDice(index)));
    wrong.push(...outcome.wrong.map((which) => `world ${index}: ${which}`));
    found[world] += outcome.found.size;
  }
  expect(wrong).toEqual([]);
  // Aircraft on an approach are apart; most of a formation or a swarm stays double.
  expect(found.runways).toBeGreaterThan(1000);
  expect(found.formation).toBeGreaterThan(50);
  expect(found.swarm).toBeGreaterThan(100);
});
