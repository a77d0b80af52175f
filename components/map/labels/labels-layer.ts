import type { CustomLayerInterface } from 'maplibre-gl';
import { MARK_THEMES, type MarkThemeName } from '#components/ui/marks/mark-theme.ts';
import { makeMercatorLayer } from '../webgl/mercator-layer.ts';
import { GlyphAtlas, type GlyphMetrics } from './glyph-atlas.ts';
import { LabelRecords, type PlacedLabel } from './label-records.ts';
import { type LabelRenderer, makeLabelRenderer } from './label-renderer.ts';

export interface LabelsLayerOptions {
  readonly id: string;
  readonly theme: MarkThemeName;
  readonly textPx: number;
  /** Called once if the GPU refuses the shaders: no label is drawn from then on. */
  readonly onFailure: (error: Error) => void;
  readonly onFont: () => void;
}

/** Mercator only. A symbol layer, laid out in a worker, would lag some frames behind the marks. */
export interface LabelsLayer extends CustomLayerInterface {
  setLabels(labels: readonly PlacedLabel[]): void;
  setTheme(theme: MarkThemeName): void;
  setTextPx(textPx: number): void;
  metrics(): GlyphMetrics;
}

/** Fraction of half the view that a label reaches from its mark's world copy. */
const COPIES_MARGIN = 0.3;

export function makeLabelsLayer(options: LabelsLayerOptions): LabelsLayer {
  const records = new LabelRecords();
  let theme = MARK_THEMES[options.theme];
  let { textPx } = options;
  let atlas: GlyphAtlas | undefined;
  let labels: readonly PlacedLabel[] = [];
  let needsUpload = true;

  const { layer, map, repaint } = makeMercatorLayer<LabelRenderer>({
    id: options.id,
    makeRenderer: makeLabelRenderer,
    onFailure: options.onFailure,
    isEmpty: () => records.count === 0,
    copiesMargin: () => COPIES_MARGIN,
    draw(renderer, frame, _map, isNew) {
      if (needsUpload || isNew) renderer.upload(records);
      needsUpload = false;
      const glyphs = metrics();
      if (glyphs.hasNew || isNew) renderer.uploadAtlas(glyphs.canvas);
      glyphs.hasNew = false;
      renderer.draw({ ...frame, cellTexels: glyphs.cellTexels, theme }, records.count);
    },
  });

  function renewAtlas(): void {
    atlas = undefined;
    records.pack(labels, metrics());
    needsUpload = true;
    repaint();
  }

  function metrics(): GlyphAtlas {
    atlas ??= new GlyphAtlas(textPx, map()?.getPixelRatio() ?? 1, () => {
      renewAtlas();
      options.onFont();
    });
    return atlas;
  }

  return {
    ...layer,
    setLabels(changed) {
      labels = changed;
      if (!records.pack(labels, metrics())) return;
      needsUpload = true;
      repaint();
    },
    setTheme(name) {
      theme = MARK_THEMES[name];
      repaint();
    },
    setTextPx(changedPx) {
      if (changedPx === textPx) return;
      textPx = changedPx;
      renewAtlas();
    },
    metrics,
  };
}
