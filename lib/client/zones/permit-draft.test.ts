import { expect, test } from 'vitest';
import { plainRecord } from '#lib/api/arbitrary-record.fixture.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { shapeProblem } from '#lib/zones/shape-problem.ts';
import { alarmOf } from '../alarms/alarm.fixture.ts';
import { permitOf } from './permit.fixture.ts';
import {
  newPermitsOf,
  permitChangeOf,
  permitDraftOf,
  permitInDoubt,
  validTerms,
  withDrawnArea,
  withPermitZones,
} from './permit-draft.ts';
import { zoneOf } from './zone.fixture.ts';

const NOW_MS = Date.parse('2026-11-29T14:31:20Z');
const ZONES = [zoneOf(0, { name: 'Gate' }), zoneOf(1, { name: 'Yard' })];
const [GATE, YARD] = ZONES.map(({ id }) => id) as [string, string];
const alarmIn = (zone: string, number: number) =>
  alarmOf(number, { zone: { id: zone, name: zone === GATE ? 'Gate' : 'Yard', revision: 1 } });
const PERMIT = permitOf({
  zone: { id: GATE, name: 'Gate' },
  revision: 3,
  name: 'Survey',
  shape: { type: 'Circle', centre: [8.5, 47.4], radius_m: 300 },
  vertical: { field: 'altitude_m', floor_m: 100, ceiling_m: 400 },
  start: '2026-11-29T14:00:00.000Z',
  end: '2026-11-29T16:00:00.000Z',
});

test('alarms of several zones become a permit for each zone, or for each track, with the same terms', () => {
  const alarms = [alarmIn(GATE, 1), alarmIn(GATE, 2), alarmIn(YARD, 3), alarmOf(4, { track: null })];
  const draft = permitDraftOf({ kind: 'alarms', alarms }, ZONES, NOW_MS);
  expect(draft.name).toBe('Drones in 2 zones');
  expect(newPermitsOf(draft)).toMatchObject([
    { zone: GATE, track: null, shape: null, vertical: { field: 'height_agl_m', floor_m: null, ceiling_m: 120 } },
    { zone: YARD, track: null },
  ]);
  const [first] = newPermitsOf(draft);
  expect(first?.start).toBe('2026-11-29T14:31:00.000Z');
  expect(Date.parse(first!.end) - NOW_MS).toBeGreaterThanOrEqual(2 * HOUR_MS);
  const tracks = newPermitsOf({ ...draft, covers: 'tracks' });
  expect(tracks.map(({ zone, track }) => [zone, track?.ref])).toEqual(
    alarms.slice(0, 3).map(({ zone, track }) => [zone.id, track]),
  );
});

test('both tracks of a pair are permitted', () => {
  const other = { layer: 'adsb' as const, ref: 'RX-A-1' };
  const draft = permitDraftOf({ kind: 'alarms', alarms: [alarmOf(1, { other })] }, ZONES, NOW_MS);
  expect(draft.layers).toEqual(['rid', 'adsb']);
  expect(newPermitsOf({ ...draft, covers: 'tracks' }).map(({ layers }) => layers)).toEqual([['rid'], ['adsb']]);
});

test('a track is permitted in the zones around it, in a circle around it where that is chosen', () => {
  const [lon, lat] = ZONES[1]!.shape.type === 'Circle' ? ZONES[1]!.shape.centre : [0, 0];
  const position = { ...plainPosition, kind: 'drone' as const, lon, lat };
  const draft = permitDraftOf({ kind: 'track', position }, ZONES, NOW_MS);
  expect(draft.zones).toContain(YARD);
  const elsewhere = withPermitZones(draft, [GATE]);
  expect(newPermitsOf({ ...elsewhere, covers: 'tracks' })).toMatchObject([
    { zone: GATE, track: { ref: position.ref } },
  ]);
  expect(newPermitsOf({ ...elsewhere, area: 'around' })).toMatchObject([
    { zone: GATE, track: null, shape: { type: 'Circle', centre: [lon, lat], radius_m: 500 } },
  ]);
});

test('a change keeps all that is not changed', () => {
  const draft = permitDraftOf({ kind: 'change', permit: PERMIT }, ZONES, NOW_MS);
  const { revision, name, layers, track, shape, vertical, start, end } = PERMIT;
  const terms = { layers, track, shape, vertical, start, end };
  expect(permitChangeOf(draft, PERMIT)).toEqual({ revision, name, ...terms, expects_flight: false });
  const expected = { ...PERMIT, flight: { received_at: null, watched: null } };
  const changed = permitDraftOf({ kind: 'change', permit: expected }, ZONES, NOW_MS);
  expect(permitChangeOf(changed, expected).expects_flight).toBe(true);
});

test('a permit is in doubt where only the height of the track is missing', () => {
  const track = 'RX-D-0000000000000001';
  const place = { public_track_id: track, longitude: 8.5, latitude: 47.4 };
  const alarm = (record: object) => ({
    ...alarmIn(GATE, 1),
    track,
    evidence: [{ ...plainRecord, ...place, ...record }],
  });
  expect(permitInDoubt(alarm({}), [PERMIT])).toBe(PERMIT);
  expect(permitInDoubt(alarm({ height_agl_m: 80 }), [PERMIT]), 'another height').toBe(PERMIT);
  expect(permitInDoubt(alarm({ altitude_m: 300 }), [PERMIT])).toBeUndefined();
  expect(permitInDoubt(alarm({ altitude_m: 500 }), [PERMIT])).toBeUndefined();
  expect(permitInDoubt(alarm({ longitude: 8.6 }), [PERMIT])).toBeUndefined();
  expect(permitInDoubt({ ...alarm({}), expected: true }, [PERMIT])).toBeUndefined();
  expect(permitInDoubt(alarm({}), [{ ...PERMIT, state: 'ended' }])).toBeUndefined();
});

test('an ended permit was valid until an operator ended it', () => {
  expect(validTerms(PERMIT).end).toBe(PERMIT.end);
  expect(validTerms({ ...PERMIT, ended: { by: 'Bea', at: '2026-11-29T15:00:00Z' } }).end).toBe('2026-11-29T15:00:00Z');
});

test('an area that is drawn becomes that of the permit, across 180° too; one that is given up changes nothing', () => {
  const draft = permitDraftOf({ kind: 'zone' }, ZONES, NOW_MS);
  expect(withDrawnArea(draft, undefined)).toBe(draft);
  const corners = [
    { lon: 179.9, lat: -16 },
    { lon: 180.1, lat: -16 },
    { lon: 180.1, lat: -16.2 },
  ];
  const drawn = withDrawnArea(draft, { kind: 'polygon', corners });
  expect(drawn.area).toBe('own');
  const [permit] = newPermitsOf(drawn);
  expect(permit?.shape).toEqual({
    type: 'Polygon',
    coordinates: [
      [
        [179.9, -16],
        [-179.9, -16],
        [-179.9, -16.2],
        [179.9, -16],
      ],
    ],
  });
  expect(permit?.shape && shapeProblem(permit.shape)).toBeUndefined();
});
