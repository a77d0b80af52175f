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
const read = (document: unknown) => readOperationalIntent(document, 'Intent 1');

test('each volume becomes a permit of drones, in altitude_m, with the times as they are', () => {
  const answer = read(intent({ volumes: [VOLUME, CIRCLE] }));
  const times = { start: '2026-11-29T14:00:00Z', end: '2026-11-29T16:00:00Z' };
  expect(answer).toEqual({
    kind: 'permits',
    permits: [
      {
        name: 'Intent 2f8343be of uss1 1/2',
        layers: ['rid'],
        track: null,
        shape: {
          type: 'Polygon',
          coordinates: [
            [
              [8.5, 47.4],
              [8.51, 47.4],
              [8.51, 47.41],
              [8.5, 47.4],
            ],
          ],
        },
        vertical: { field: 'altitude_m', floor_m: 400, ceiling_m: 520.5 },
        ...times,
      },
      {
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

test('an answer and a notice of a USS are read, and files of one or several', () => {
  const expected = read(intent());
  expect(read({ operational_intent: intent() })).toEqual(expected);
  const notice = { operational_intent_id: REFERENCE.id, operational_intent: intent(), subscriptions: [] };
  expect(read(notice)).toEqual(expected);
  const file = (document: unknown) =>
    readPermits(new TextEncoder().encode(JSON.stringify(document)), 100, () => undefined);
  expect(file([intent(), notice])).toMatchObject({
    kind: 'permits',
    permits: [
      { zone: '', expects_flight: true },
      { zone: '', expects_flight: true },
    ],
  });
  expect(file([intent(), intent({ volumes: [] })])).toMatchObject({
    problems: [{ place: 'Intent 2, details.volumes', problem: 'has no volume' }],
  });
});

test('names of other programs are one printable line of 80 characters', () => {
  const hostile = read(intent({}, { manager: `<b>\n\u202Euss\u0000${'x'.repeat(200)}`, id: '\u2028id' }));
  const name = hostile.kind === 'permits' ? (hostile.permits[0]?.name ?? '') : '';
  expect(name).toMatch(/^Intent id of <b> uss x+$/);
  expect([...name]).toHaveLength(80);
});

const volume = (change: object) => ({ volumes: [{ ...VOLUME, volume: { ...VOLUME.volume, ...change } }] });
test.each([
  ['no intent', { operational_intent_id: REFERENCE.id, subscriptions: [] }, /its manager removed it/],
  ['no reference', { details: {} }, /reference: /],
  ['another state', intent({}, { state: 'Contingent' }), /reference\.state: is Contingent/],
  ['an unknown state', intent({}, { state: 'Ended' }), /reference\.state: /],
  ['volumes outside its plan', intent({ off_nominal_volumes: [VOLUME] }), /off_nominal_volumes: .*not permitted/],
  ['no volumes', intent({ volumes: null }), /details\.volumes: has no volume/],
  ['two outlines', intent(volume({ outline_circle: CIRCLE.volume.outline_circle })), /exactly one outline/],
  ['no outline', intent(volume({ outline_polygon: null })), /volumes\.0\.volume: must have exactly one outline/],
  ['two corners', intent(volume({ outline_polygon: { vertices: CORNERS.slice(1) } })), /vertices: /],
  ['a repeated corner', intent(volume({ outline_polygon: { vertices: [...CORNERS, CORNERS[0]] } })), /a vertex twice/],
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
    /altitude_lower: must be below altitude_upper/,
  ],
  ['no end', intent({ volumes: [{ ...VOLUME, time_end: null }] }), /time_end: /],
  [
    'an end before its start',
    intent({ volumes: [{ ...VOLUME, time_end: time('2026-11-29T13:00:00Z') }] }),
    /must be after time_start/,
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
    /radius\.value: /,
  ],
])('an intent with %s is refused with the place, whole', (_, document, problem) => {
  const answer = read(document);
  const problems = answer.kind === 'problems' ? answer.problems : [];
  expect(problems.map((each) => `${each.place}: ${each.problem}`).join('; ')).toMatch(problem);
});
