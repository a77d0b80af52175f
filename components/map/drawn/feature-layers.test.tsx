import { renderHook } from '@testing-library/react';
import type { Map as MapLibreMap } from 'maplibre-gl';
import { expect, test } from 'vitest';
import { type FeatureLayers, useFeatures } from './feature-layers.ts';

const POINT: GeoJSON.Point = { type: 'Point', coordinates: [8, 47] };
const LAYERS: FeatureLayers = { source: 'own', layers: () => ({ below: [] }) };

/** MapLibre without a picture: as in its 6.x, adding to a map without a style makes an empty one. */
class BareMap {
  style: { readonly sources: Set<string> } | undefined = { sources: new Set() };
  readonly #onStyle = new Set<() => void>();

  lose(): void {
    this.style = undefined;
  }

  restore(): void {
    this.style = { sources: new Set() };
    for (const listener of this.#onStyle) listener();
  }

  on(_: 'style.load', listener: () => void): void {
    this.#onStyle.add(listener);
  }

  off(_: 'style.load', listener: () => void): void {
    this.#onStyle.delete(listener);
  }

  getSource(id: string): object | undefined {
    return this.style?.sources.has(id) ? { setData: () => undefined } : undefined;
  }

  addSource(id: string): void {
    this.style ??= { sources: new Set() };
    this.style.sources.add(id);
  }

  getLayer(): undefined {}
}

function show(map: BareMap, data: GeoJSON.GeoJSON | undefined) {
  return renderHook(({ drawn }) => useFeatures(map as unknown as MapLibreMap, 'dark', LAYERS, drawn), {
    initialProps: { drawn: data },
  });
}

test('features that change while the graphics context is lost are drawn once there is a style again', () => {
  const map = new BareMap();
  const { rerender } = show(map, undefined);
  map.lose();
  rerender({ drawn: POINT });
  expect(map.style).toBeUndefined();
  map.restore();
  expect(map.style?.sources).toEqual(new Set(['own']));
});

test('features survive a lost graphics context', () => {
  const map = new BareMap();
  show(map, POINT);
  map.lose();
  map.restore();
  expect(map.style?.sources).toEqual(new Set(['own']));
});
