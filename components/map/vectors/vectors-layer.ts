import type { CustomLayerInterface } from 'maplibre-gl';
import { MARK_THEMES, type MarkThemeName } from '#components/ui/marks/mark-theme.ts';
import type { Picture } from '#lib/picture/picture.ts';
import type { TrackColumns } from '#lib/picture/track-columns.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { makeMercatorLayer } from '../webgl/mercator-layer.ts';
import { VectorRecords } from './vector-records.ts';
import { makeVectorRenderer, type VectorRenderer } from './vector-renderer.ts';

export interface VectorsLayerOptions {
  readonly theme: MarkThemeName;
  readonly onFailure: (error: Error) => void;
}

/** Mercator only. Vectors are never picked and never counted. */
export interface VectorsLayer extends CustomLayerInterface {
  /** @returns the number of vectors */
  setPicture(picture: Picture, columns: TrackColumns, minutes: number): number;
  setTheme(theme: MarkThemeName): void;
}

const COPIES_MARGIN = 0.5;

export function makeVectorsLayer(options: VectorsLayerOptions): VectorsLayer {
  const vectors = new VectorRecords();
  let theme = MARK_THEMES[options.theme];
  let label = '';
  let needsUpload = true;

  const { layer, repaint } = makeMercatorLayer<VectorRenderer>({
    id: 'speed-vectors',
    makeRenderer: makeVectorRenderer,
    onFailure: options.onFailure,
    isEmpty: () => vectors.count === 0,
    copiesMargin: () => COPIES_MARGIN,
    draw(renderer, frame, _map, isNew) {
      if (needsUpload || isNew) renderer.upload(vectors);
      needsUpload = false;
      renderer.draw({ ...frame, theme, label }, vectors.count);
    },
  });

  return {
    ...layer,
    setPicture(picture, columns, minutes) {
      label = `${minutes} min`;
      if (vectors.pack(picture, columns, (minutes * MINUTE_MS) / SECOND_MS)) {
        needsUpload = true;
        repaint();
      }
      return vectors.count;
    },
    setTheme(name) {
      theme = MARK_THEMES[name];
      repaint();
    },
  };
}
