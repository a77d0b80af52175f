import { expect, test, vi } from 'vitest';
import type { Area } from '#lib/geo/area.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { ReplayRequest } from '../replay/replay-request.ts';
import { replayOfArea } from './drawn-area.ts';

/** The box whose past is loaded. */
function loadedFor(inside: Area): Bbox | undefined {
  const open = vi.fn<(request: ReplayRequest) => Promise<void>>(async () => undefined);
  const lookout = {
    filter: { get: () => ({ inside }) },
    replay: { session: undefined, open, tab: { set: () => undefined } },
    mapView: { get: () => ({ visible: undefined, lon: 0, lat: 0 }) },
    layersOn: { get: () => ['rid'] },
    preferences: { get: () => ({ replaySpeed: 1, replayAutoLoadMax: 1 }) },
    feed: { store: { columns: { end: 0 } }, presumedNow: () => upstreamInstant(3_600_000) },
  } as unknown as Parameters<typeof replayOfArea>[0];
  replayOfArea(lookout, { start: upstreamInstant(0), end: upstreamInstant(60_000) });
  return open.mock.calls[0]?.[0].area;
}

test('loads the past of an area near a pole in a box on the Earth', () => {
  const corners = [
    { lon: 8, lat: 89.9 },
    { lon: 9, lat: 89.9 },
    { lon: 8.5, lat: 89.95 },
  ];
  expect(loadedFor({ kind: 'polygon', corners })).toMatchObject({ west: -180, east: 180, north: 90 });
});

test('loads the past of an area with about 10 km around it', () => {
  const corners = [
    { lon: 8, lat: 0 },
    { lon: 9, lat: 0 },
    { lon: 8.5, lat: 1 },
  ];
  const { west, south, east, north } = loadedFor({ kind: 'polygon', corners }) as Bbox;
  for (const [edge, at] of [
    [west, 7.9],
    [south, -0.1],
    [east, 9.1],
    [north, 1.1],
  ] as const)
    expect(edge).toBeCloseTo(at, 2);
});
