import { expect, test } from 'vitest';
import { readOperationalIntent } from './operational-intent.ts';
import { readPermits } from './permits-geojson.ts';

const altitude = (value: number) => ({ value, reference: 'W84', units: 'M' });
const time = (value: string) => ({ value, format: 'RFC3339' });
const CORNERS = [
  { lat: 47.4, lng: 8.5 },
  { lat: 47.4, lng: 8.51 },
  { lat: 47.41, lng: 8.51 },
];
const VOLUME = {
  volume: {
    outline_polygon: { vertices: CORNERS },
    outline_circle: null,
    altitude_lower: altitude(400),
    altitude_upper: altitude(520.5),
  },
  time_start: time('2026-11-29T14:00:00Z'),
  time_end: time('2026-11-29T16:00:00Z'),
};
const CIRCLE = {
  ...VOLUME,
  volume: { outline_circle: { center: { lat: 47.4, lng: 8.5 }, radius: { value: 300.183, units: 'M' } } },
};
const REFERENCE = {
  id: '2f8343be-6482-4d1b-a474-16847e01af1e',
  manager: 'uss1',
  uss_availability: 'Normal',
  version: 1,
  state: 'Accepted',
  time_start: VOLUME.time_start,
  time_end: VOLUME.time_end,
  uss_base_url: 'https://uss.example.com/utm',
  subscription_id: '78ea3fe8-71c2-4f5c-9b44-9c02f5563c6f',
};
const intent = (change: object = {}, reference: object = {}) => ({
  reference: { ...REFERENCE, ...reference },
  details: { volumes: [VOLUME], off_nominal_volumes: [], priority: 0, ...change },
});
const volume = (change: object) => ({ volumes: [{ ...VOLUME, volume: { ...VOLUME.volume, ...change } }] });
const read = (document: unknown) => readOperationalIntent(document, 'Intent 1');

test('each volume becomes a permit of drones, in altitude_m, with the times as they are', () => {
  const answer = read(intent({ volumes: [VOLUME, CIRCLE] }));
  const times = { start: '2026-11-29T14:00:00Z', end: '2026-11-29T16:00:00Z' };
  const its = { zone: '', expects_flight: true, intent: { id: REFERENCE.id, version: 1 } };
  expect(answer).toEqual({
    permits: [
      {
        ...its,
        name: 'Intent 2f8343be of uss1 1/2',
        layers: ['rid'],
        track: null,
        shape: {
          type: 'Polygon',
          coordinates: [[...CORNERS, CORNERS[0]!].map(({ lat, lng }) => [lng, lat])],
        },
        vertical: { field: 'altitude_m', floor_m: 400, ceiling_m: 520.5 },
        ...times,
      },
      {
        ...its,
        name: 'Intent 2f8343be of uss1 2/2',
        layers: ['rid'],
        track: null,
        shape: { type: 'Circle', centre: [8.5, 47.4], radius_m: 300.183 },
        vertical: null,
        ...times,
      },
    ],
  });
});

test('a volume may cross the antimeridian, and not contain a pole', () => {
  const shapeOf = (...corners: readonly [lng: number, lat: number][]) => {
    const vertices = corners.map(([lng, lat]) => ({ lat, lng }));
    const answer = read(intent(volume({ outline_polygon: { vertices } })));
    return 'permits' in answer ? answer.permits[0]?.shape : answer.problems[0]?.problem;
  };
  expect(shapeOf([179.9, -17], [-179.9, -17], [-179.9, -16.9])).toMatchObject({ type: 'Polygon' });
  expect(shapeOf([0, 89], [120, 89], [-120, 89])).toBe('shape: A zone cannot contain a pole.');
});

test('an answer and a notice of a USS are read, and files of one or several', () => {
  const expected = read(intent());
  expect(read({ operational_intent: intent() })).toEqual(expected);
  const notice = { operational_intent_id: REFERENCE.id, operational_intent: intent(), subscriptions: [] };
  expect(read(notice)).toEqual(expected);
  const file = (document: unknown) =>
    readPermits(new TextEncoder().encode(JSON.stringify(document)), 100, () => undefined);
  const { permits } = expected as Extract<typeof expected, { permits: unknown }>;
  expect(file([intent(), notice])).toEqual({ permits: [...permits, ...permits] });
  expect(file([intent(), intent({ volumes: [] })])).toMatchObject({
    problems: [{ place: 'Intent 2, details.volumes', problem: 'has no volume' }],
  });
});

test('names of other programs are one printable line of 80 characters', () => {
  const hostile = read(intent({}, { manager: `<b>\n\u202Euss\u0000${'x'.repeat(200)}` }));
  const name = 'permits' in hostile ? (hostile.permits[0]?.name ?? '') : '';
  expect(name).toMatch(/^Intent 2f8343be of <b> uss x+$/);
  expect([...name]).toHaveLength(80);
});

test.each([
  ['no intent', { operational_intent_id: REFERENCE.id, subscriptions: [] }, /its manager removed it/],
  ['no reference', { details: {} }, /reference: /],
  ['another state', intent({}, { state: 'Contingent' }), /reference\.state: must be Accepted or Activated/],
  ['no version', intent({}, { version: undefined }), /reference\.version: /],
  ['an id of another form', intent({}, { id: 'flight 1' }), /reference\.id: /],
  ['volumes outside its plan', intent({ off_nominal_volumes: [VOLUME] }), /off_nominal_volumes: .*not permitted/],
  ['no volumes', intent({ volumes: null }), /details\.volumes: /],
  ['two outlines', intent(volume({ outline_circle: CIRCLE.volume.outline_circle })), /exactly one outline/],
  ['no outline', intent(volume({ outline_polygon: null })), /volumes\.0\.volume: must have exactly one outline/],
  [
    'two corners',
    intent(volume({ outline_polygon: { vertices: CORNERS.slice(1) } })),
    /volumes\.0, shape\.coordinates\.0: /,
  ],
  ['a repeated corner', intent(volume({ outline_polygon: { vertices: [...CORNERS, CORNERS[0]] } })), /crosses itself/],
  [
    'a crossing edge',
    intent(
      volume({
        outline_polygon: { vertices: [...CORNERS.slice(0, 2), { lat: 47.41, lng: 8.5 }, { lat: 47.41, lng: 8.51 }] },
      }),
    ),
    /crosses itself/,
  ],
  ['feet', intent(volume({ altitude_upper: { ...altitude(1), units: 'FT' } })), /altitude_upper\.units: must be M/],
  [
    'heights above ground',
    intent(volume({ altitude_upper: { ...altitude(1), reference: 'SFC' } })),
    /reference: must be W84/,
  ],
  [
    'altitudes upside down',
    intent(volume({ altitude_lower: altitude(600) })),
    /volumes\.0, vertical: has a floor above its ceiling/,
  ],
  ['no end', intent({ volumes: [{ ...VOLUME, time_end: null }] }), /time_end: /],
  [
    'an end before its start',
    intent({ volumes: [{ ...VOLUME, time_end: time('2026-11-29T13:00:00Z') }] }),
    /volumes\.0: end: must be after the start/,
  ],
  ['a local time', intent({ volumes: [{ ...VOLUME, time_end: time('2026-11-29T13:00:00') }] }), /RFC 3339/],
  [
    'a radius without end',
    intent({
      volumes: [
        {
          ...CIRCLE,
          volume: { outline_circle: { ...CIRCLE.volume.outline_circle, radius: { value: 1e9, units: 'M' } } },
        },
      ],
    }),
    /shape\.radius_m: /,
  ],
])('an intent with %s is refused with the place, whole', (_, document, problem) => {
  const answer = read(document);
  const problems = 'problems' in answer ? answer.problems : [];
  expect(problems.map((each) => `${each.place}: ${each.problem}`).join('; ')).toMatch(problem);
});
