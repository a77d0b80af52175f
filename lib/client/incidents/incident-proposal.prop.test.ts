import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainRecord } from '#lib/api/arbitrary-record.fixture.ts';
import { newIncidentSchema } from '#lib/api/watching/incidents.ts';
import { areaContains } from '#lib/geo/area.ts';
import type { Position } from '#lib/model/position.ts';
import { isoTime, isoTimeOrNull, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { areaOfShape } from '#lib/zones/zone-area.ts';
import { alarmOf, ZONE_ID } from '../alarms/alarm.fixture.ts';
import {
  type AroundIncident,
  type IncidentProposal,
  type IncidentSource,
  proposedIncident,
} from './incident-proposal.ts';

const NOW_MS = Date.parse('2026-11-27T12:30:00Z');
const RUNWAY = { id: ZONE_ID, name: 'Runway 14/32' };
const PRIVATE = { zone: { id: ZONE_ID, name: 'Raid on Friday', revision: 1 } };

function around(changed: Partial<AroundIncident> = {}): AroundIncident {
  return {
    nowMs: NOW_MS,
    zones: [],
    place: { lon: 8.5, lat: 47.4 },
    drawn: undefined,
    replay: undefined,
    selected: undefined,
    firstAtMs: () => undefined,
    ...changed,
  };
}

function positionOf(changed: Partial<Position> = {}): Position {
  const at = upstreamInstant(NOW_MS - MINUTE_MS);
  return { ref: 'rid-0-18C62', kind: 'drone', observedAt: at, lon: 8.2, lat: 46.9, ...changed } as Position;
}

const evidence = (longitude: number, latitude: number) => [{ ...plainRecord, longitude, latitude }];
const replay = {
  window: { start: upstreamInstant(NOW_MS - 80 * MINUTE_MS), end: upstreamInstant(NOW_MS - 20 * MINUTE_MS) },
  cursorMs: NOW_MS - 30 * MINUTE_MS,
  area: { west: 8, south: 47, east: 9, north: 48 },
  layers: ['rid'] as const,
};
const drawn = { kind: 'circle', centre: { lon: 8.55, lat: 47.45 }, radiusM: 700 } as const;

function circleOf({ areas }: IncidentProposal) {
  const area = areas[0]?.area;
  if (!area || !('type' in area)) throw new Error('no shape');
  return areaOfShape(area);
}

describe('an incident from', () => {
  test('an alarm of a zone that everyone sees: its zone, from 5 min before its opening, running', () => {
    const alarm = alarmOf(1, { simulated: true, evidence: evidence(8.2, 46.9) });
    const proposal = proposedIncident({ from: 'alarm', alarm }, around({ zones: [RUNWAY] }));
    expect(proposal).toMatchObject({ fromMs: Date.parse('2026-11-27T11:55:00Z'), toMs: null, layers: ['rid', 'adsb'] });
    expect(proposal.title).toMatch(/^SIM Drone 00001 in Runway 14\/32$/);
    expect(proposal.areas[0]).toEqual({ label: 'Runway 14/32', area: { zone: ZONE_ID } });
  });

  test('an alarm of a private zone: 2 km around it, and nothing names the zone', () => {
    const alarm = alarmOf(1, { ...PRIVATE, evidence: evidence(8.2, 46.9) });
    const proposal = proposedIncident({ from: 'alarm', alarm }, around());
    expect(proposal.areas[0]?.area).toEqual({ type: 'Circle', centre: [8.2, 46.9], radius_m: 2000 });
    expect(JSON.stringify(proposal)).not.toContain('Raid');
    expect(JSON.stringify(proposal)).not.toContain(ZONE_ID);
  });

  test('a track: 2 km around it, from its first position, pinned', () => {
    const firstMs = NOW_MS - 40 * MINUTE_MS;
    const source = { from: 'track', position: positionOf() } as const;
    const proposal = proposedIncident(source, around({ firstAtMs: () => firstMs }));
    expect(proposal).toMatchObject({ title: 'Drone 18C62', fromMs: firstMs, toMs: null, tracks: ['rid-0-18C62'] });
    expect(proposal.areas[0]?.area).toEqual({ type: 'Circle', centre: [8.2, 46.9], radius_m: 2000 });
  });

  test('a moment of a replay: from 5 min before it to the end, layers and area of the replay, or the drawn one', () => {
    const proposal = proposedIncident({ from: 'replay' }, around({ replay }));
    expect(proposal).toMatchObject({
      fromMs: NOW_MS - 35 * MINUTE_MS,
      toMs: NOW_MS - 20 * MINUTE_MS,
      layers: ['rid'],
      tracks: [],
    });
    const window = { ...replay.window, end: upstreamInstant(NOW_MS - MINUTE_MS) };
    const recent = { ...replay, window, cursorMs: NOW_MS - 79 * MINUTE_MS };
    expect(proposedIncident({ from: 'replay' }, around({ replay: recent })), 'it may go on').toMatchObject({
      fromMs: NOW_MS - 80 * MINUTE_MS,
      toMs: null,
    });
    expect(areaContains(circleOf(proposal), 8.5, 47.5)).toBe(true);
    expect(areaContains(circleOf(proposal), 9.1, 47.5)).toBe(false);
    expect(circleOf(proposedIncident({ from: 'replay' }, around({ replay, drawn })))).toEqual(drawn);
  });

  test('the page: the drawn area before the selected track, and without both the marked place', () => {
    const here = (changed: Partial<AroundIncident>) => proposedIncident({ from: 'here' }, around(changed));
    const selected = positionOf();
    expect(circleOf(here({ drawn, selected }))).toEqual(drawn);
    expect(here({ drawn, selected }).tracks).toEqual([]);
    expect(here({ selected }).tracks).toEqual([selected.ref]);
    expect(here({})).toMatchObject({ title: '', fromMs: NOW_MS - 5 * MINUTE_MS, toMs: null });
    expect(here({}).areas[0]?.label).toBe('2 km around the middle of the map');
  });
});

test('the server accepts each proposal once it has a title; none begins later than now', () => {
  const lon = fc.double({ min: -180, max: 180, noNaN: true });
  const lat = fc.double({ min: -84, max: 84, noNaN: true });
  const sources: fc.Arbitrary<IncidentSource> = fc.oneof(
    fc.constantFrom({ from: 'here' as const }, { from: 'area' as const }, { from: 'replay' as const }),
    fc.record({ lon, lat, atMs: fc.integer({ min: 0, max: 2 * NOW_MS }) }).map(({ atMs, ...place }) => ({
      from: 'track' as const,
      position: positionOf({ ...place, observedAt: upstreamInstant(atMs) }),
    })),
    fc
      .record({ lon, lat, isPlaced: fc.boolean(), name: fc.string({ maxLength: 200 }) })
      .map(({ name, isPlaced, ...at }) => ({
        from: 'alarm' as const,
        alarm: alarmOf(1, {
          zone: { id: ZONE_ID, name, revision: 1 },
          evidence: isPlaced ? evidence(at.lon, at.lat) : [],
        }),
      })),
  );
  const parts = fc.record({
    place: fc.record({ lon, lat }),
    zones: fc.constantFrom([], [RUNWAY]),
    drawn: fc.constantFrom(undefined, drawn),
    replay: fc.constantFrom(undefined, replay, {
      ...replay,
      area: { ...replay.area, west: 179, east: -179 },
      layers: [],
    }),
    selected: fc.constantFrom(undefined, positionOf()),
  });
  fc.assert(
    fc.property(sources, parts, (source, changed) => {
      const { title, fromMs, toMs, areas, layers } = proposedIncident(source, around(changed));
      expect(fromMs).toBeLessThanOrEqual(NOW_MS);
      expect(areas.length).toBeGreaterThan(0);
      for (const { area } of areas)
        newIncidentSchema.parse({ title: title || 'T', from: isoTime(fromMs), to: isoTimeOrNull(toMs), area, layers });
    }),
  );
});
