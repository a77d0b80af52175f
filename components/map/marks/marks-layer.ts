import type { CustomLayerInterface } from 'maplibre-gl';
import { MARK_THEMES, type MarkThemeName } from '#components/ui/marks/mark-theme.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { Picture } from '#lib/picture/picture.ts';
import { makeMercatorLayer } from '../webgl/mercator-layer.ts';
import { type MercatorBounds, makeMarkRecords } from './mark-records.ts';
import { type MarkRenderer, makeMarkRenderer } from './mark-renderer.ts';
import { type MarkSize, markLook } from './mark-size.ts';
import { marksInBox, marksNear, type PickView, pickMark, type ScreenBox } from './pick-mark.ts';

export interface MarksLayerOptions {
  readonly id?: string;
  readonly theme: MarkThemeName;
  readonly size: MarkSize;
  readonly measure?: boolean;
  /**
   * Called once if the GPU refuses the shaders: no mark is drawn from then on, which must not pass for an empty sky.
   * Without it, `render` throws.
   */
  readonly onFailure?: (error: Error) => void;
}

/** Mercator only: on a globe nothing is drawn, counted or picked. */
export interface MarksLayer extends CustomLayerInterface {
  /** Copies the picture. Draws a frame only if a mark in view changed. */
  setPicture(picture: Picture): void;
  setTheme(theme: MarkThemeName): void;
  setSize(size: MarkSize): void;
  /**
   * Index in the picture, for CSS pixels from the container's upper left. Prefers current marks, then the nearest, then
   * the topmost; `undefined` if none is within `radiusPx`.
   */
  pick(xPx: number, yPx: number, radiusPx: number): number | undefined;
  /** As `pick`, but returns the track's slot. */
  pickSlot(xPx: number, yPx: number, radiusPx: number): number | undefined;
  pileAt(xPx: number, yPx: number, radiusPx: number): number[];
  inBox(box: ScreenBox): number[];
  /** Each mark once, however many world copies show it; 0 until a frame is drawn. */
  drawnCount(): number;
}

/** Reach with all decorations, in symbol pixels. */
const MARK_REACH_PX = 22;
const WORLD_PX = 512;

export function makeMarksLayer(options: MarksLayerOptions): MarksLayer {
  const { id = 'marks', measure = false } = options;
  const marks = makeMarkRecords();
  let theme = MARK_THEMES[options.theme];
  let { size } = options;
  let needsUpload = true;
  let lastView: PickView | undefined;

  const { layer, map, repaint } = makeMercatorLayer<MarkRenderer>({
    id,
    makeRenderer: makeMarkRenderer,
    onFailure(error) {
      if (options.onFailure === undefined) throw error;
      options.onFailure(error);
    },
    // Clicks need the view even without marks.
    isEmpty: () => false,
    copiesMargin: (drawnOn, widthPx, heightPx) =>
      (2 * MARK_REACH_PX * markLook(drawnOn.getZoom(), size).symbolScale) / Math.min(widthPx, heightPx),
    draw(renderer, view, drawnOn, isNew) {
      const look = markLook(drawnOn.getZoom(), size);
      const frame = { ...view, bearingDeg: drawnOn.getBearing(), look, theme };
      if (needsUpload || isNew) timed('lookout:marks-upload', () => renderer.upload(marks));
      needsUpload = false;
      if (marks.count() > 0) timed('lookout:marks-draw', () => renderer.draw(frame, marks));
      lastView = view;
    },
  });

  function timed(name: string, work: () => void): void {
    if (!measure) {
      work();
      return;
    }
    const start = performance.now();
    work();
    performance.measure(name, { start, end: performance.now() });
  }

  /** With a margin for marks just outside. */
  function boundsInView(): MercatorBounds {
    const shownOn = map();
    if (shownOn === undefined) return { west: 0, east: 0, north: 0, south: 0 };
    const bounds = shownOn.getBounds();
    const zoom = shownOn.getZoom();
    const margin = (MARK_REACH_PX * markLook(zoom, size).symbolScale) / (WORLD_PX * 2 ** zoom);
    return {
      west: mercatorX(bounds.getWest()) - margin,
      east: mercatorX(bounds.getEast()) + margin,
      north: mercatorY(bounds.getNorth()) - margin,
      south: mercatorY(bounds.getSouth()) + margin,
    };
  }

  function pickPlace(xPx: number, yPx: number, radiusPx: number): number | undefined {
    const shownOn = map();
    if (lastView === undefined || shownOn === undefined) return undefined;
    // The map may have been resized since its last frame; its middle stays.
    const { clientWidth, clientHeight } = shownOn.getCanvas();
    return pickMark(marks, { ...lastView, widthPx: clientWidth, heightPx: clientHeight }, xPx, yPx, radiusPx);
  }

  return {
    ...layer,
    onRemove(removedFrom, gl) {
      layer.onRemove?.(removedFrom, gl);
      lastView = undefined;
    },
    render(gl, input) {
      lastView = undefined;
      layer.render(gl, input);
    },
    setPicture(picture) {
      timed('lookout:marks-pack', () => marks.pack(picture));
      const change = lastView === undefined ? 'inside' : marks.changeWithin(boundsInView());
      if (change !== 'none') needsUpload = true;
      if (change === 'inside') repaint();
    },
    setTheme(name) {
      theme = MARK_THEMES[name];
      repaint();
    },
    setSize(changed) {
      if (changed === size) return;
      size = changed;
      repaint();
    },
    pick(xPx, yPx, radiusPx) {
      const place = pickPlace(xPx, yPx, radiusPx);
      return place === undefined ? undefined : marks.indexAt(place);
    },
    pickSlot(xPx, yPx, radiusPx) {
      const place = pickPlace(xPx, yPx, radiusPx);
      return place === undefined ? undefined : marks.slotAt(place);
    },
    pileAt(xPx, yPx, radiusPx) {
      const places = lastView === undefined ? [] : marksNear(marks, lastView, xPx, yPx, radiusPx);
      return places.map((place) => marks.slotAt(place));
    },
    inBox(box) {
      const places = lastView === undefined ? [] : marksInBox(marks, lastView, box);
      return places.map((place) => marks.slotAt(place));
    },
    drawnCount: () => (lastView === undefined ? 0 : marks.count()),
  };
}
