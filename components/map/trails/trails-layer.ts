import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { makeCanvasSize } from '../webgl/canvas-size.ts';
import { visibleWorldCopies } from '../webgl/world-copies.ts';
import type { TrailLines } from './trail-lines.ts';
import type { TrailLook } from './trail-looks.ts';
import { makeTrailRenderer, type TrailRenderer } from './trail-renderer.ts';

export interface TrailsLayerOptions {
  readonly id: string;
  readonly look: TrailLook;
  readonly theme: BasemapTheme;
  /** Called once if the GPU refuses the shaders: no trail is drawn from then on. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Trails as one MapLibre layer, for the Mercator projection only. A style layer would copy every position to a worker at each change
 * (about 30 ms for five minutes of 3000 tracks); here a moving cursor changes one number.
 */
export interface TrailsLayer extends CustomLayerInterface {
  /** The lines are read until others are set; set them again after changing them. `undefined`: nothing is drawn. */
  setLines(lines: TrailLines | undefined): void;
  /** Draws the lines that `TrailLines.set` changed; costs less than setting all of them again. */
  changeLines(): void;
  /** Epoch ms of the cursor: what was received up to then is the past. */
  setCursor(atMs: number): void;
  setTheme(theme: BasemapTheme): void;
}

/** As a fraction of half the view: a line across 180° is drawn with the world copy of its end, however far it reaches back. */
const COPIES_MARGIN = 0.5;

export function makeTrailsLayer(options: TrailsLayerOptions): TrailsLayer {
  const { id, look, onFailure } = options;
  const matrix = new Float64Array(16);
  const sizeOf = makeCanvasSize();
  let { theme } = options;
  let map: MapLibreMap | undefined;
  let renderer: TrailRenderer | undefined;
  let hasFailed = false;
  let lines: TrailLines | undefined;
  let needsUpload = true;
  let needsUpdate = false;
  let cursorMs = 0;

  function tryRenderer(gl: WebGL2RenderingContext): TrailRenderer | undefined {
    try {
      return makeTrailRenderer(gl);
    } catch (error) {
      hasFailed = true;
      onFailure(error instanceof Error ? error : new Error(String(error)));
      return undefined;
    }
  }

  function render(gl: WebGL2RenderingContext, input: CustomRenderMethodInput): void {
    const { widthPx, heightPx } = sizeOf(gl);
    if (!map || !lines || lines.count === 0 || hasFailed || input.shaderData.variantName !== 'mercator') return;
    matrix.set(input.defaultProjectionData.mainMatrix as ArrayLike<number>);
    renderer ??= tryRenderer(gl);
    if (!renderer) return;
    if (needsUpload) renderer.upload(lines);
    else if (needsUpdate) renderer.update(lines);
    needsUpload = false;
    needsUpdate = false;
    const { lng, lat } = map.getCenter();
    renderer.draw(
      {
        ...look,
        matrix,
        copies: map.getRenderWorldCopies() ? visibleWorldCopies(matrix, COPIES_MARGIN) : { first: 0, last: 0 },
        originX: mercatorX(lng),
        originY: mercatorY(lat),
        widthPx,
        heightPx,
        devicePixelRatio: gl.drawingBufferWidth / widthPx,
        timeMs: cursorMs - lines.baseMs,
        passes: look.passes[theme],
      },
      lines.count,
    );
  }

  return {
    id,
    type: 'custom',
    renderingMode: '2d',
    onAdd(addedTo) {
      map = addedTo;
      // GL objects are created in the first frame with lines: MapLibre resets its cached GL state only after `render`.
      renderer = undefined;
      hasFailed = false;
      needsUpload = true;
    },
    onRemove() {
      renderer?.dispose();
      renderer = undefined;
      map = undefined;
    },
    render,
    setLines(changed) {
      if (changed === undefined && lines === undefined) return;
      lines = changed;
      needsUpload = true;
      map?.triggerRepaint();
    },
    changeLines() {
      needsUpdate = true;
      map?.triggerRepaint();
    },
    setCursor(changedMs) {
      if (changedMs === cursorMs) return;
      cursorMs = changedMs;
      if (lines) map?.triggerRepaint();
    },
    setTheme(changed) {
      theme = changed;
      map?.triggerRepaint();
    },
  };
}
