'use client';

import type { IControl, Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import { useControl } from 'react-map-gl/maplibre';
import { atMostEvery } from './at-most-every.ts';
import { SCALE_MAX_PX, type ScaleUnit, scaleBar } from './scale-bar.ts';

const UPDATE_EVERY_MS = 100;

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

/** Shifted by its excess: a transform needs no layout, unlike a width. */
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
