import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryFilter } from '#lib/filter/arbitrary-filter.fixture.ts';
import { NO_FILTER, type TrackFilter, type ValueRange } from '#lib/filter/track-filter.ts';
import { areaContains } from '#lib/geo/area.ts';
import { bboxContains } from '#lib/geo/bbox.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { flagsOf, type Position } from '#lib/model/position.ts';
import { type LabelName, NUMBER_NAMES } from '#lib/model/record-fields.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { drawPicture } from './draw-picture.ts';
import { listSlots } from './list-tracks.ts';
import { labelBits } from './mark-style.ts';
import { makePicture } from './picture.ts';
import { slotFilter } from './slot-filter.ts';
import { makeTrackColumns } from './track-columns.ts';

const atMs = 1_000_000_000;
const TTL_MS = 60_000;
const view = { west: 170, south: -20, east: -170, north: 20 };

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const reported = fc.record({
  ref: fc.uuid(),
  kind: fc.constantFrom('drone', 'aircraft'),
  observedAt: fc.integer({ min: atMs - 120_000, max: atMs }).map(upstreamInstant),
  lon: fc.constantFrom(-180, -175, 0, 8, 175, 180),
  lat: fc.constantFrom(-30, 0, 20, 47),
  altitudeM: maybe(fc.integer({ min: -500, max: 15_000 })),
  heightAglM: maybe(fc.integer({ min: -100, max: 500 })),
  speedMps: maybe(fc.integer({ min: 0, max: 300 })),
  receiverCount: maybe(fc.integer({ min: 0, max: 10 })),
  confidence: maybe(fc.constantFrom('single', 'multi_station', 'stale', 'näher')),
  emergencyState: maybe(fc.constantFrom('none', 'unknown', 'general', 'odd')),
  simulated: fc.boolean(),
  testBroadcast: fc.boolean(),
});
const position = reported.map((each): Position => ({ ...plainPosition, ...each }));

function tracksOf(positions: readonly Position[]) {
  const columns = makeTrackColumns(positions.length);
  columns.end = positions.length;
  for (const [slot, each] of positions.entries()) {
    columns.used[slot] = 1;
    columns.style[slot] = flagsOf(each) | labelBits('emergencyState', each.emergencyState);
    columns.observedAtMs[slot] = epochMs(each.observedAt);
    columns.staleAfterMs[slot] = Number.NaN;
    columns.expiresAtMs[slot] = epochMs(each.observedAt) + TTL_MS;
    for (const name of NUMBER_NAMES) columns[name][slot] = each[name] ?? Number.NaN;
  }
  return {
    columns,
    atMs,
    refAt: String,
    labelAt: (slot: number, name: LabelName) => positions[slot]?.[name],
  };
}

const isThere = ({ kind, observedAt }: Position) => atMs < epochMs(observedAt) + TTL_MS + AGEING[kind].expiredMs;

const inRange = (range: ValueRange, value: number) =>
  value >= (range.from ?? Number.NEGATIVE_INFINITY) && value < (range.to ?? Number.POSITIVE_INFINITY);

function isWanted(filter: TrackFilter, each: Position): boolean {
  const box = filter.inside === 'view' ? view : filter.inside;
  const known = (value: number | undefined, range: ValueRange | undefined) =>
    !range || (value === undefined ? filter.unknown === 'show' : inRange(range, value));
  const isEmergency = emergencyClass(each.emergencyState) === 'emergency';
  if (isEmergency && filter.emergency === 'show') return true;
  return (
    (!filter.kind || each.kind === filter.kind) &&
    known(each.altitudeM, filter.altitudeM) &&
    known(each.heightAglM, filter.heightAglM) &&
    known(each.speedMps, filter.speedMps) &&
    known(each.receiverCount, filter.receiverCount) &&
    (!filter.ageS || inRange(filter.ageS, (atMs - epochMs(each.observedAt)) / 1000)) &&
    (!filter.confidence ||
      (each.confidence === undefined ? filter.unknown === 'show' : filter.confidence.includes(each.confidence))) &&
    (!filter.simulated || each.simulated === (filter.simulated === 'only')) &&
    (!filter.testBroadcast || each.testBroadcast === (filter.testBroadcast === 'only')) &&
    (filter.emergency !== 'only' || isEmergency) &&
    (!box || ('kind' in box ? areaContains(box, each.lon, each.lat) : bboxContains(box, each.lon, each.lat)))
  );
}

describe('a filter', () => {
  test('shows on the map and in the table exactly what meets its criteria, and counts the rest', () => {
    fc.assert(
      fc.property(fc.array(position, { maxLength: 20 }), arbitraryFilter, (positions, filter) => {
        const tracks = tracksOf(positions);
        const shown = slotFilter(filter, tracks, atMs, view);
        const picture = makePicture(positions.length);
        const counts = drawPicture(tracks.columns, atMs, [], picture, { filter: shown });
        const drawn = [...picture.slot.subarray(0, picture.count)];
        const there = positions.flatMap((each, slot) => (isThere(each) ? [slot] : []));
        expect(drawn).toEqual(there.filter((slot) => isWanted(filter, positions[slot] as Position)));

        const listed = listSlots(tracks, { filter: shown, order: [{ column: 'kind', descending: false }] });
        expect([...listed].sort((a, b) => a - b)).toEqual(drawn);

        const hidden = there.filter((slot) => !drawn.includes(slot)).map((slot) => positions[slot] as Position);
        const isEmergency = ({ emergencyState }: Position) => emergencyClass(emergencyState) === 'emergency';
        expect(counts.hiddenEmergencies).toBe(hidden.filter(isEmergency).length);
      }),
    );
  });

  test('says of how many records it does not know a filtered value, whether it shows them or not', () => {
    fc.assert(
      fc.property(fc.array(position, { maxLength: 20 }), fc.constantFrom('show', 'hide'), (positions, unknown) => {
        const tracks = tracksOf(positions);
        const filter: TrackFilter = { ...NO_FILTER, altitudeM: { from: 0, to: 5000 }, unknown };
        const shown = slotFilter(filter, tracks, atMs, view);
        const counts = drawPicture(tracks.columns, atMs, [], makePicture(positions.length), { filter: shown });
        const there = positions.filter(isThere);
        expect(counts.unknown.altitudeM).toBe(there.filter(({ altitudeM }) => altitudeM === undefined).length);
        expect(counts.unknown.speedMps).toBe(0);
      }),
    );
  });

  test('without criteria is none', () => {
    expect(slotFilter({ ...NO_FILTER, unknown: 'hide' }, tracksOf([]), atMs, view)).toBeUndefined();
  });
});
