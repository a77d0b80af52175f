import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { MARK_THEMES, type MarkThemeName } from '#components/ui/mark-theme.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { Picture } from '#lib/picture/picture.ts';
import type { TrackColumns } from '#lib/picture/track-columns.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { makeCanvasSize } from '../webgl/canvas-size.ts';
import { visibleWorldCopies } from '../webgl/world-copies.ts';
import { VectorRecords } from './vector-records.ts';
import { makeVectorRenderer, type VectorRenderer } from './vector-renderer.ts';

export interface VectorsLayerOptions {
  readonly theme: MarkThemeName;
  /** Called once if the GPU refuses the shaders: no vector is drawn from then on. */
  readonly onFailure: (error: Error) => void;
}

/** Speed vectors as one MapLibre layer, for the Mercator projection only. They are never picked and never counted. */
export interface VectorsLayer extends CustomLayerInterface {
  /** Draws the vectors of a picture if they differ from those drawn last. @returns how many there are */
  setPicture(picture: Picture, columns: TrackColumns, minutes: number): number;
  setTheme(theme: MarkThemeName): void;
}

/** As a fraction of half the view: a vector across 180° is drawn with the world copy of its start. */
const COPIES_MARGIN = 0.5;

export function makeVectorsLayer(options: VectorsLayerOptions): VectorsLayer {
  const vectors = new VectorRecords();
  const matrix = new Float64Array(16);
  const sizeOf = makeCanvasSize();
  let theme = MARK_THEMES[options.theme];
  let label = '';
  let map: MapLibreMap | undefined;
  let renderer: VectorRenderer | undefined;
  let hasFailed = false;
  let needsUpload = true;

  function tryRenderer(gl: WebGL2RenderingContext): VectorRenderer | undefined {
    try {
      return makeVectorRenderer(gl);
    } catch (error) {
      hasFailed = true;
      options.onFailure(error instanceof Error ? error : new Error(String(error)));
      return undefined;
    }
  }

  function render(gl: WebGL2RenderingContext, input: CustomRenderMethodInput): void {
    if (!map || vectors.count === 0 || hasFailed || input.shaderData.variantName !== 'mercator') return;
    renderer ??= tryRenderer(gl);
    if (!renderer) return;
    if (needsUpload) renderer.upload(vectors);
    needsUpload = false;
    const { widthPx, heightPx } = sizeOf(gl);
    matrix.set(input.defaultProjectionData.mainMatrix as ArrayLike<number>);
    const { lng, lat } = map.getCenter();
    renderer.draw(
      {
        matrix,
        copies: map.getRenderWorldCopies() ? visibleWorldCopies(matrix, COPIES_MARGIN) : { first: 0, last: 0 },
        originX: mercatorX(lng),
        originY: mercatorY(lat),
        widthPx,
        heightPx,
        devicePixelRatio: gl.drawingBufferWidth / widthPx,
        theme,
        label,
      },
      vectors.count,
    );
  }

  return {
    id: 'speed-vectors',
    type: 'custom',
    renderingMode: '2d',
    onAdd(addedTo) {
      map = addedTo;
      // GL objects are created in the first frame with vectors: MapLibre resets its cached GL state only after `render`.
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
    setPicture(picture, columns, minutes) {
      label = `${minutes} min`;
      if (vectors.pack(picture, columns, (minutes * MINUTE_MS) / SECOND_MS)) {
        needsUpload = true;
        map?.triggerRepaint();
      }
      return vectors.count;
    },
    setTheme(name) {
      theme = MARK_THEMES[name];
      map?.triggerRepaint();
    },
  };
}
