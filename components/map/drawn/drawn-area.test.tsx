import { act } from '@testing-library/react';
import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import { expect, test } from 'vitest';
import { type Drawing, NOTHING_DRAWN } from '#lib/client/area/drawing-state.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { showPage } from '#testing/shown-page.tsx';
import { DrawnArea } from './drawn-area.tsx';

interface Pixel {
  readonly x: number;
  readonly y: number;
  dist(other: Pixel): number;
}

function pixel(x: number, y: number): Pixel {
  return { x, y, dist: (other) => Math.hypot(other.x - x, other.y - y) };
}

/** A map of 100 pixels for each degree, without tiles or layers. */
class PressedMap {
  readonly style = {};
  readonly doubleClickZoom = { enable: () => undefined, disable: () => undefined };
  readonly #sources = new Map<string, { data: GeoJSON.GeoJSON; setData(data: GeoJSON.GeoJSON): void }>();
  readonly #listeners = new Map<string, (event: unknown) => void>();

  on(name: string, listener: (event: unknown) => void) {
    this.#listeners.set(name, listener);
    return { unsubscribe: () => this.#listeners.delete(name) };
  }
  readonly #container = document.createElement('div');
  getContainer = () => this.#container;
  off = () => undefined;
  getLayer = () => undefined;
  addLayer = () => undefined;
  getSource = (id: string) => this.#sources.get(id);
  project = ([lon, lat]: [number, number]) => pixel(lon * 100, -lat * 100);

  addSource(id: string, { data: first }: { readonly data: GeoJSON.GeoJSON }) {
    const source = {
      data: first,
      setData(data: GeoJSON.GeoJSON) {
        source.data = data;
      },
    };
    this.#sources.set(id, source);
  }

  fire(name: string, lng: number, lat: number) {
    const event = {
      point: this.project([lng, lat]),
      lngLat: { lng, lat },
      originalEvent: { button: 0, buttons: 1, shiftKey: false },
      preventDefault: () => undefined,
    };
    act(() => this.#listeners.get(name)?.(event));
  }

  drags([fromLng, fromLat]: [number, number], [toLng, toLat]: [number, number]) {
    this.fire('mousedown', fromLng, fromLat);
    this.fire('mousemove', (fromLng + toLng) / 2, (fromLat + toLat) / 2);
    this.fire('mousemove', toLng, toLat);
    this.fire('mouseup', toLng, toLat);
  }
}

async function showArea() {
  const map = new PressedMap();
  function Drawn() {
    const { mapShown } = useLookout();
    useEffect(() => mapShown.set(true), [mapShown]);
    return <DrawnArea map={map as unknown as MapLibreMap} theme="dark" />;
  }
  const { lookout } = await showPage({ map: <Drawn /> });
  const inside = () => lookout.filter.get().inside;
  return {
    map,
    inside,
    starts: (tool: Parameters<Drawing['start']>[0]) => act(() => lookout.drawing.start(tool)),
    filters: (area: ReturnType<typeof inside>) => act(() => lookout.filter.change({ inside: area })),
    ends: () => act(() => lookout.drawing.end()),
    drawing: () => lookout.drawing.get(),
  };
}

const BOX = { west: 8, south: 46, east: 9, north: 47 };

test('the box of a filter is a dashed line, and any other area a polygon', async () => {
  const { map, filters } = await showArea();
  filters(BOX);
  expect(map.getSource('filter-area')?.data).toMatchObject({ type: 'LineString' });
  filters({ kind: 'circle', centre: { lon: 8.5, lat: 46.5 }, radiusM: 1000 });
  expect(map.getSource('filter-area')?.data).toMatchObject({ type: 'FeatureCollection', features: [] });
  expect(map.getSource('area')?.data).toMatchObject({ features: [{}, { geometry: { type: 'Polygon' } }] });
});

test('an area across 180° is drawn by a drag, and changed by its handles', async () => {
  const { map, inside, starts } = await showArea();
  starts('circle');
  map.drags([179.9, -17], [180.1, -17]);
  expect(inside()).toMatchObject({ kind: 'circle', centre: { lon: 179.9, lat: -17 } });
  const drawn = inside();
  starts('change');
  map.drags([180.1, -17], [180.3, -17]);
  const changed = inside();
  if (!drawn || drawn === 'view' || !('radiusM' in drawn)) throw new Error('no circle');
  expect(changed).toMatchObject({ kind: 'circle', centre: { lon: 179.9, lat: -17 } });
  expect(changed).toHaveProperty('radiusM', expect.closeTo(2 * drawn.radiusM, -1));
});

test('a drag whose tool ends changes no area', async () => {
  const { map, inside, starts, filters, drawing, ends } = await showArea();
  const circle = { kind: 'circle', centre: { lon: 8.5, lat: 46.5 }, radiusM: 50_000 } as const;
  filters(circle);
  starts('change');
  map.fire('mousedown', 8.5, 46.5);
  map.fire('mousemove', 8.6, 46.5);
  ends();
  map.fire('mousemove', 8.7, 46.5);
  expect(drawing()).toBe(NOTHING_DRAWN);
  map.fire('mouseup', 8.7, 46.5);
  expect(inside()).toEqual(circle);
});

test('a polygon across 180° closes at its first corner; one that crosses itself stays a draft, with the reason', async () => {
  const { map, inside, starts, drawing } = await showArea();
  starts('polygon');
  const square = [
    [179.5, -17],
    [180.5, -17],
    [180.5, -18],
    [179.5, -18],
  ] as const;
  for (const [lng, lat] of [square[0], square[2], square[1], square[3], square[0]]) map.fire('click', lng, lat);
  expect(inside()).toBeUndefined();
  expect(drawing()).toMatchObject({ problem: 'The edges cross each other: move a corner.', corners: { length: 4 } });
  starts('polygon');
  for (const [lng, lat] of [...square, square[0]]) map.fire('click', lng, lat);
  expect(inside()).toMatchObject({ kind: 'polygon', corners: { length: 4 } });
});
