'use client';

import type { IControl, Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl';
import { useEffect, useRef, useState } from 'react';
import { useControl } from 'react-map-gl/maplibre';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { MapPixels } from '#lib/client/page/page-map.ts';
import { type CoordinateNotation, decimalText, dmsText } from '#lib/geo/coordinate-text.ts';
import { EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { nearestCopy } from '#lib/geo/longitude.ts';
import { atMostEvery } from './at-most-every.ts';
import { retryUntilDone } from './basemap/patient-source.ts';

/** Readings of the map besides its marks: distances, the place under the pointer, and its pixels. */
const UPDATE_EVERY_MS = 100;

/** Bars in nautical miles, and in the operator's units. */
export function ScaleBars({ unit }: { readonly unit: Exclude<ScaleUnit, 'nautical'> }) {
  const bars = useControl(() => new ScaleBarsControl(), { position: 'bottom-right' });
  useEffect(() => bars.setUnit(unit), [bars, unit]);
  return null;
}

class ScaleBarsControl implements IControl {
  readonly #container = document.createElement('div');
  readonly #bars = (['nautical', 'metric'] as const).map((unit) => new Bar(this.#container, unit));
  readonly #update = atMostEvery(UPDATE_EVERY_MS, () => this.#draw());
  #map: MapLibreMap | undefined;

  onAdd(map: MapLibreMap): HTMLElement {
    this.#container.className = 'maplibregl-ctrl map-scales';
    this.#map = map;
    map.on('move', this.#update);
    this.#draw();
    return this.#container;
  }

  onRemove(): void {
    this.#map?.off('move', this.#update);
    this.#map = undefined;
    this.#update.stop();
    this.#container.remove();
  }

  setUnit(unit: ScaleUnit): void {
    const [, chosen] = this.#bars;
    if (chosen) chosen.unit = unit;
    this.#draw();
  }

  #draw(): void {
    if (!this.#map) return;
    const { lat } = this.#map.getCenter();
    for (const bar of this.#bars) bar.draw(lat, this.#map.getZoom());
  }
}

/** The bar is shifted by its excess: a transform needs no layout, unlike a width. */
class Bar {
  unit: ScaleUnit;
  readonly #bar = document.createElement('div');
  #text = '';
  #leftPx = Number.NaN;

  constructor(parent: HTMLElement, unit: ScaleUnit) {
    this.unit = unit;
    const frame = document.createElement('div');
    frame.className = 'map-scale';
    frame.append(this.#bar);
    parent.append(frame);
  }

  draw(latDeg: number, zoom: number): void {
    const { text, widthPx } = scaleBar(latDeg, zoom, this.unit);
    const leftPx = Math.round(SCALE_MAX_PX - widthPx);
    if (text !== this.#text) this.#bar.textContent = text;
    if (leftPx !== this.#leftPx) this.#bar.style.transform = `translateX(${leftPx}px)`;
    this.#text = text;
    this.#leftPx = leftPx;
  }
}

/** Each has units of several sizes: the largest whose length fits is used. */
export type ScaleUnit = 'metric' | 'imperial' | 'nautical';

interface ScaleBar {
  readonly text: string;
  readonly widthPx: number;
}

export const SCALE_MAX_PX = 100;

const WORLD_PX_AT_ZOOM_0 = 512;
const STEPS = [5, 3, 2, 1];
const NM = { name: 'nm', metres: 1852 };
const UNITS = {
  metric: [
    { name: 'km', metres: 1000 },
    { name: 'm', metres: 1 },
  ],
  imperial: [
    { name: 'mi', metres: 1609.344 },
    { name: 'ft', metres: 0.3048 },
  ],
  nautical: [NM],
} as const;

export function scaleBar(latDeg: number, zoom: number, unit: ScaleUnit): ScaleBar {
  const worldM = 2 * Math.PI * EARTH_RADIUS_M * Math.cos((latDeg * Math.PI) / 180);
  const maxM = (worldM / (WORLD_PX_AT_ZOOM_0 * 2 ** zoom)) * SCALE_MAX_PX;
  const { name, metres } = UNITS[unit].find((one) => maxM >= one.metres) ?? UNITS[unit].at(-1) ?? NM;
  const digits = Math.floor(Math.log10(maxM / metres));
  const lead = maxM / metres / 10 ** digits;
  const step = STEPS.find((one) => one <= lead) ?? 1;
  const text = `${(step * 10 ** digits).toFixed(Math.max(0, -digits))}\u00a0${name}`;
  return { text, widthPx: (SCALE_MAX_PX * step) / lead };
}

type Write = (place: LonLat) => string;

/** The coordinates under the pointer, written past React. */
export function CursorPosition({ map }: { readonly map: MapLibreMap }) {
  const place = useRef<HTMLOutputElement>(null);
  const [{ coordinates }] = usePreferences();
  const write = useNotation(coordinates);

  useEffect(() => {
    let text = '';
    let shown = '';
    const update = atMostEvery(UPDATE_EVERY_MS, () => {
      if (!place.current || text === shown) return;
      place.current.textContent = text;
      shown = text;
    });
    const show = ({ lngLat }: MapMouseEvent) => {
      text = write({ lon: lngLat.lng, lat: lngLat.lat });
      update();
    };
    const clear = () => {
      text = '';
      update();
    };
    map.on('mousemove', show);
    map.on('mouseout', clear);
    return () => {
      map.off('mousemove', show);
      map.off('mouseout', clear);
      update.stop();
    };
  }, [map, write]);

  return <output className="map-cursor" ref={place} aria-hidden="true" data-testid="cursor-position" />;
}

/** MGRS needs a library: until it is loaded the text is in decimals. */
function useNotation(notation: CoordinateNotation): Write {
  const [writeMgrs, setWriteMgrs] = useState<Write>();
  useEffect(() => {
    if (notation !== 'mgrs') return;
    const changed = new AbortController();
    retryUntilDone(() => import('#lib/geo/mgrs.ts'), {}, changed.signal).then(
      ({ mgrsText }) => setWriteMgrs(() => (where: LonLat) => mgrsText(where) ?? 'no MGRS here'),
      // Another notation was chosen before the library was there.
      () => undefined,
    );
    return () => changed.abort();
  }, [notation]);
  if (notation === 'dms') return dmsText;
  return notation === 'mgrs' && writeMgrs ? writeMgrs : decimalText;
}

/**
 * The map as a picture, copied in the frame that drew it: a WebGL canvas is empty afterwards. `undefined` while the graphics
 * context is lost.
 */
export function readMapPixels(map: MapLibreMap): MapPixels | undefined {
  map.redraw();
  const drawn = map.getCanvas();
  const canvas = document.createElement('canvas');
  canvas.width = drawn.width;
  canvas.height = drawn.height;
  const context = canvas.getContext('2d');
  if (!context || drawn.getContext('webgl2')?.isContextLost()) return undefined;
  context.drawImage(drawn, 0, 0);
  return {
    canvas,
    pixelRatio: drawn.width / Math.max(1, drawn.clientWidth),
    attribution: map.getContainer().querySelector('.maplibregl-ctrl-attrib-inner')?.textContent?.trim() ?? '',
    scale: scaleBar(map.getCenter().lat, map.getZoom(), 'nautical'),
    at: (lon, lat) => map.project([nearestCopy(lon, map.getCenter().lng), lat]),
  };
}
