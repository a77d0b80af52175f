import type { CustomLayerInterface } from 'maplibre-gl';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { makeMercatorLayer } from '../webgl/mercator-layer.ts';
import type { TrailLines } from './trail-lines.ts';
import type { TrailLook } from './trail-looks.ts';
import { makeTrailRenderer, type TrailRenderer } from './trail-renderer.ts';

export interface TrailsLayerOptions {
  readonly id: string;
  readonly look: TrailLook;
  readonly theme: BasemapTheme;
  readonly onFailure: (error: Error) => void;
}

/**
 * Mercator only. A style layer would copy every position to a worker at each change (about 30 ms for five minutes of
 * 3000 tracks).
 */
export interface TrailsLayer extends CustomLayerInterface {
  /** Set the lines again after changing them. */
  setLines(lines: TrailLines | undefined): void;
  changeLines(): void;
  /** Epoch ms: everything received up to then is the past. */
  setCursor(atMs: number): void;
  /** By age at the cursor instead of the lines' own colour. */
  setByAge(byAge: boolean): void;
  setTheme(theme: BasemapTheme): void;
}

/** A line across 180° is drawn with the world copy of its end. */
const COPIES_MARGIN = 0.5;

export function makeTrailsLayer({ id, look, onFailure, ...options }: TrailsLayerOptions): TrailsLayer {
  let { theme } = options;
  let lines: TrailLines | undefined;
  let needsUpload = true;
  let needsUpdate = false;
  let cursorMs = 0;
  let isByAge = false;

  const { layer, repaint } = makeMercatorLayer<TrailRenderer>({
    id,
    makeRenderer: makeTrailRenderer,
    onFailure,
    isEmpty: () => lines === undefined || lines.count === 0,
    copiesMargin: () => COPIES_MARGIN,
    draw(renderer, frame, _map, isNew) {
      if (!lines) return;
      if (needsUpload || isNew) renderer.upload(lines);
      else if (needsUpdate) renderer.update(lines);
      needsUpload = false;
      needsUpdate = false;
      const timeMs = cursorMs - lines.baseMs;
      renderer.draw({ ...look, ...frame, timeMs, byAge: isByAge, passes: look.passes[theme] }, lines.count);
    },
  });

  return {
    ...layer,
    setLines(changed) {
      if (changed === undefined && lines === undefined) return;
      lines = changed;
      needsUpload = true;
      repaint();
    },
    changeLines() {
      needsUpdate = true;
      repaint();
    },
    setCursor(changedMs) {
      if (changedMs === cursorMs) return;
      cursorMs = changedMs;
      if (lines !== undefined && lines.count > 0) repaint();
    },
    setByAge(changed) {
      if (changed === isByAge) return;
      isByAge = changed;
      if (lines) repaint();
    },
    setTheme(changed) {
      theme = changed;
      repaint();
    },
  };
}
