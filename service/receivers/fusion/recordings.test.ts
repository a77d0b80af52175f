import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { destination, distanceM } from '#lib/geo/great-circle.ts';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { epochMs } from '#lib/time/instant.ts';
import { loadRecording, type Recording } from '../../sources/recording/load-recording.ts';
import type { Fix } from '../fix.ts';
import type { FeedTraits } from './fused-feed.ts';
import { at, feedOf, fixOf, keyOf, Picture, parsedOf, START_MS } from './fusion.fixture.ts';

const FOLDER = join(import.meta.dirname, '../../../../shared/recordings');

interface Station {
  readonly feed: FeedTraits;
  readonly receivedPart: number;
  readonly clockErrorMs: number;
  readonly delayMs: readonly [number, number];
  readonly wrongM: number;
}

const NEAR: Station = { feed: feedOf('near'), receivedPart: 0.9, clockErrorMs: 0, delayMs: [20, 120], wrongM: 0 };
const AHEAD: Station = { feed: feedOf('ahead'), receivedPart: 0.7, clockErrorMs: 3000, delayMs: [20, 400], wrongM: 0 };
const FAR: Station = { feed: feedOf('far'), receivedPart: 0.5, clockErrorMs: -200, delayMs: [30, 480], wrongM: 0 };
const WRONG: Station = { feed: feedOf('wrong'), receivedPart: 1, clockErrorMs: 0, delayMs: [10, 60], wrongM: 20_000 };

interface Message {
  readonly station: Station;
  readonly row: number;
  readonly receptionMs: number;
  readonly arrivesMs: number;
}

function messagesOf({ offsetMs }: Recording, stations: readonly Station[], rows: number): Message[] {
  const dice = makeDice(20_261_123);
  const messages: Message[] = [];
  const lastMs = new Map<Station, number>();
  for (let row = 0; row < rows; row += 1) {
    const receptionMs = offsetMs[row]!;
    for (const station of stations) {
      const delayMs = dice.integer(...station.delayMs);
      if (!dice.chance(station.receivedPart)) continue;
      const arrivesMs = Math.max(lastMs.get(station) ?? 0, receptionMs + delayMs);
      lastMs.set(station, arrivesMs);
      messages.push({ station, row, receptionMs, arrivesMs });
    }
  }
  return messages.sort((a, b) => a.arrivesMs - b.arrivesMs);
}

function fixAt(
  { layer, track, lon, lat, speedMps, headingDeg }: Recording,
  { station, row, receptionMs }: Message,
): Fix {
  const place = { lon: lon[row]!, lat: lat[row]! };
  return fixOf({
    layer,
    trackKey: keyOf(track[row]!),
    ...(station.wrongM === 0 ? place : destination(place, 45, station.wrongM)),
    speedMps: Number.isNaN(speedMps[row]) ? null : speedMps[row]!,
    headingDeg: Number.isNaN(headingDeg[row]) ? null : headingDeg[row]!,
    feedTimeMs: START_MS + receptionMs + station.clockErrorMs,
  });
}

function fuse(recording: Recording, stations: readonly Station[], maxRows: number) {
  const messages = messagesOf(recording, stations, Math.min(recording.rowCount, maxRows));
  const picture = new Picture();
  let settledMs = 0;
  for (const message of messages) {
    for (; settledMs < message.arrivesMs; settledMs += 250) picture.settle(settledMs);
    picture.fusion.add(message.station.feed, parsedOf([fixAt(recording, message)]), at(message.arrivesMs));
  }
  for (let ms = 0; ms < 3000; ms += 250) picture.settle(settledMs + ms);
  return { messages, picture };
}

function errorsM(recording: Recording, { messages, picture }: ReturnType<typeof fuse>, withinMs: number): number[] {
  const rows = new Set(messages.map(({ row }) => row));
  const rowsOf = Map.groupBy(rows, (row) => keyOf(recording.track[row]!) as string);
  return picture.past.map(({ sourceId, observedAt, lon, lat }) => {
    const ms = epochMs(observedAt) - START_MS;
    const near = (rowsOf.get(sourceId) ?? []).filter((row) => Math.abs(recording.offsetMs[row]! - ms) <= withinMs);
    return Math.min(
      ...near.map((row) => distanceM({ lon, lat }, { lon: recording.lon[row]!, lat: recording.lat[row]! })),
    );
  });
}

const RECORDINGS = [
  { file: 'adsb-readsb_blackrock_20230829.jsonl.gz', maxRows: 5000, repeatedMax: 1.02 },
  { file: 'adsb-traffic_switzerland_20180801.jsonl.gz', maxRows: 5000, repeatedMax: 1.02 },
  // Sends each position about nine times. The recording lacks its own times.
  { file: 'rid-parrot_anafi_ch.jsonl.gz', maxRows: 5000, repeatedMax: 1.2 },
];

describe.skipIf(!existsSync(FOLDER)).each(RECORDINGS)(
  '$file, heard by several stations',
  ({ file, maxRows, repeatedMax }) => {
    let recording: Recording;
    beforeAll(async () => {
      recording = (await loadRecording(join(FOLDER, file))).recording;
    });

    test('serves each fix once, at its place and time', () => {
      const fused = fuse(recording, [NEAR, AHEAD, FAR], maxRows);
      const { messages, picture } = fused;
      const received = new Set(messages.map(({ row }) => placeOf(recording, row)));
      const observed = new Set(picture.past.map(({ sourceId, lon, lat }) => `${sourceId} ${lon} ${lat}`));
      // Of 39 positions of a hovering drone, two are within a hand's breadth of the last, and one comes while a clock
      // is being learnt.
      expect(observed.size / received.size).toBeGreaterThan(0.92);
      expect(picture.past.length).toBeLessThanOrEqual(repeatedMax * received.size);
      expect(errorsM(recording, fused, 600).filter((meters) => meters > 2)).toEqual([]);
      const labels = picture.past.map(({ confidence }) => confidence);
      expect(labels.filter((label) => label === 'multi_station').length / labels.length).toBeGreaterThan(0.6);
      expect(picture.fusion.feedState('ahead')?.timeBasis).toBe('corrected');
    });

    test('lets no station that is 20 km wrong move a mark that two others hear', () => {
      const fused = fuse(recording, [{ ...NEAR, receivedPart: 1 }, { ...AHEAD, receivedPart: 1 }, WRONG], maxRows);
      expect(errorsM(recording, fused, 600).filter((meters) => meters > 2)).toEqual([]);
      const labels = fused.picture.past.map(({ confidence }) => confidence);
      expect(labels.filter((label) => label === 'inconsistent').length / labels.length).toBeGreaterThan(0.8);
      expect(fused.picture.fusion.feedState('wrong')?.counts.observed).toBe(0);
    });
  },
);

function placeOf({ track, lon, lat }: Recording, row: number): string {
  return `${keyOf(track[row]!)} ${lon[row]} ${lat[row]}`;
}
