import { expect, test } from 'vitest';
import type { ZoneShape } from '../zone.ts';
import { type FiledPermit, readPermits, writePermits } from './permits-geojson.ts';

const CIRCLE: ZoneShape = { type: 'Circle', centre: [8.5, 47.4], radius_m: 2000 };
const TIMES = { start: '2026-11-29T14:00:00.000Z', end: '2026-11-29T16:00:00.000Z' };
const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [8.5, 47.4],
      [8.51, 47.4],
      [8.51, 47.41],
      [8.5, 47.4],
    ],
  ],
} satisfies ZoneShape;
const PERMIT: FiledPermit = {
  name: 'Survey flight, police',
  zone: 'Gate',
  layers: ['rid'],
  track: null,
  shape: null,
  vertical: { field: 'height_agl_m', floor_m: null, ceiling_m: 120 },
  expects_flight: false,
  ...TIMES,
};
const shapeOf = (zone: string) => (zone === 'Gate' ? CIRCLE : undefined);
const read = (text: string, max = 100) => readPermits(new TextEncoder().encode(text), max, shapeOf);
const feature = (properties: object, geometry: unknown = SQUARE) =>
  JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', properties, geometry }] });

test('a written permit is read as the same: of a whole zone, of an area, and of a reference', () => {
  const permits: FiledPermit[] = [
    PERMIT,
    { ...PERMIT, shape: SQUARE, vertical: null },
    { ...PERMIT, track: { layer: 'rid', ref: 'RX-D-1' }, shape: { ...CIRCLE, radius_m: 300 } },
  ];
  expect(read(writePermits(permits, shapeOf))).toEqual({ permits });
});

test('a geometry that another program changed is the area; a zone that is not here leaves its drawn area', () => {
  const changed = writePermits([PERMIT], () => SQUARE);
  expect(read(changed)).toMatchObject({ permits: [{ shape: SQUARE }] });
  const elsewhere = writePermits([{ ...PERMIT, zone: 'Elsewhere' }], () => SQUARE);
  expect(read(elsewhere)).toMatchObject({ permits: [{ zone: 'Elsewhere', shape: SQUARE }] });
});

test('a feature of another program states name and times, and never loses its limit', () => {
  const properties = { name: 'Survey', ...TIMES, up_to_m: 80 };
  expect(read(feature(properties))).toEqual({
    permits: [{ ...PERMIT, name: 'Survey', zone: '', shape: SQUARE, vertical: { ...PERMIT.vertical, ceiling_m: 80 } }],
  });
  expect(read(feature({ name: 'Survey', ...TIMES }, null))).toMatchObject({
    permits: [{ shape: null, vertical: null }],
  });
});

test.each([
  ['no JSON', '{', /JSON|line/i],
  ['no list', '{"type":"Topology"}', /no GeoJSON with a list/],
  ['an empty list', '{"type":"FeatureCollection","features":[]}', /has no permits/],
  ['no name', feature(TIMES), /has no name/],
  ['no times', feature({ name: 'Survey' }), /invalid|timestamp|expected/i],
  [
    'an end before its start',
    feature({ name: 'Survey', start: TIMES.end, end: TIMES.start }),
    /end: must be after the start/,
  ],
  ['a limit that is a text', feature({ name: 'Survey', ...TIMES, up_to_m: 'low' }), /number/i],
  ['a point', feature({ name: 'Survey', ...TIMES }, { type: 'Point', coordinates: [8, 47] }), /area is a Polygon/],
  ['an own field that it does not know', feature({ name: 'Survey', lookout_permit: { ...PERMIT, more: 1 } }), /more/],
])('a file with %s is refused with the place, whole', (_, text, problem) => {
  const answer = read(text);
  const problems = 'problems' in answer ? answer.problems : [];
  expect(problems.map((each) => `${each.place}: ${each.problem}`).join()).toMatch(problem);
});

test('one fault refuses all, and a file has a limit', () => {
  const text = writePermits([PERMIT, { ...PERMIT, end: PERMIT.start }], shapeOf);
  expect(read(text)).toMatchObject({ problems: [{ place: 'Feature 2 “Survey flight, police”' }] });
  expect(read(writePermits([PERMIT, PERMIT], shapeOf), 1)).toHaveProperty('problems');
});
