import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { MARK_THEMES, type MarkThemeName } from '#components/ui/mark-theme.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { makeCanvasSize } from '../webgl/canvas-size.ts';
import { visibleWorldCopies } from '../webgl/world-copies.ts';
import { GlyphAtlas, type GlyphMetrics } from './glyph-atlas.ts';
import { LabelRecords, type PlacedLabel } from './label-records.ts';
import { type LabelRenderer, makeLabelRenderer } from './label-renderer.ts';

export interface LabelsLayerOptions {
  readonly id: string;
  readonly theme: MarkThemeName;
  readonly textPx: number;
  /** Called once if the GPU refuses the shaders: no label is drawn from then on. */
  readonly onFailure: (error: Error) => void;
  /** Called when a font has arrived, and labels have other widths than they were placed with. */
  readonly onFont: () => void;
}

/**
 * Labels of marks as one MapLibre layer, for the Mercator projection only. A symbol layer would lay them out in a worker, and show them
 * some frames after their marks, with a fade between two answers.
 */
export interface LabelsLayer extends CustomLayerInterface {
  /** A frame is drawn only if a glyph differs from those shown. */
  setLabels(labels: readonly PlacedLabel[]): void;
  setTheme(theme: MarkThemeName): void;
  /** Labels have to be placed anew. */
  setTextPx(textPx: number): void;
  metrics(): GlyphMetrics;
}

/** As a fraction of half the view: how far a label reaches from the world copy of its mark. */
const COPIES_MARGIN = 0.3;

export function makeLabelsLayer(options: LabelsLayerOptions): LabelsLayer {
  const matrix = new Float64Array(16);
  const sizeOf = makeCanvasSize();
  const records = new LabelRecords();
  let theme = MARK_THEMES[options.theme];
  let { textPx } = options;
  let map: MapLibreMap | undefined;
  let renderer: LabelRenderer | undefined;
  let atlas: GlyphAtlas | undefined;
  let labels: readonly PlacedLabel[] = [];
  let hasFailed = false;
  let needsUpload = true;

  function renewAtlas(): void {
    atlas = undefined;
    records.pack(labels, metrics());
    needsUpload = true;
    map?.triggerRepaint();
  }

  function metrics(): GlyphAtlas {
    atlas ??= new GlyphAtlas(textPx, map?.getPixelRatio() ?? 1, () => {
      renewAtlas();
      options.onFont();
    });
    return atlas;
  }

  function tryRenderer(gl: WebGL2RenderingContext): LabelRenderer | undefined {
    try {
      return makeLabelRenderer(gl);
    } catch (error) {
      hasFailed = true;
      options.onFailure(error instanceof Error ? error : new Error(String(error)));
      return undefined;
    }
  }

  function render(gl: WebGL2RenderingContext, input: CustomRenderMethodInput): void {
    const { widthPx, heightPx } = sizeOf(gl);
    if (!map || hasFailed || records.count === 0 || input.shaderData.variantName !== 'mercator') return;
    matrix.set(input.defaultProjectionData.mainMatrix as ArrayLike<number>);
    const isNew = renderer === undefined;
    renderer ??= tryRenderer(gl);
    if (!renderer) return;
    if (needsUpload || isNew) renderer.upload(records);
    needsUpload = false;
    const glyphs = metrics();
    if (glyphs.hasNew || isNew) renderer.uploadAtlas(glyphs.canvas);
    glyphs.hasNew = false;
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
        cellTexels: glyphs.cellTexels,
        theme,
      },
      records.count,
    );
  }

  return {
    id: options.id,
    type: 'custom',
    renderingMode: '2d',
    onAdd(addedTo) {
      map = addedTo;
      // GL objects are created in the first frame with labels: MapLibre resets its cached GL state only after `render`.
      renderer = undefined;
      hasFailed = false;
    },
    onRemove() {
      renderer?.dispose();
      renderer = undefined;
      map = undefined;
    },
    render,
    setLabels(changed) {
      labels = changed;
      if (!records.pack(labels, metrics())) return;
      needsUpload = true;
      map?.triggerRepaint();
    },
    setTheme(name) {
      theme = MARK_THEMES[name];
      map?.triggerRepaint();
    },
    setTextPx(changedPx) {
      if (changedPx === textPx) return;
      textPx = changedPx;
      renewAtlas();
    },
    metrics,
  };
}
