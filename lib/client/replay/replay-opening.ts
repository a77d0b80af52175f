import type { HistoryCost } from '#lib/api/history-cost.ts';
import { type Bbox, formatBbox, formatLonLat } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { formatInstant, type Instant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Speed } from './playback.ts';
import type { Lifetimes } from './replay-cursor.ts';
import type { LoadListener } from './replay-loader.ts';

/** How a wide area is loaded; `undefined` where it is not wide. */
export type WideChoice = 'middle' | 'tiles' | undefined;

/** What the engine needs of its surroundings. */
export interface ReplayDoors {
  cost(query: URLSearchParams): Promise<HistoryCost>;
  /** Begins a load; the one before ends. */
  load(query: URLSearchParams, listener: LoadListener): void;
  stop(): void;
  /** Lets the page do something else before the next slice. */
  breathe(): Promise<void>;
}

export interface ReplayOpening {
  readonly area: Bbox;
  /** Inside of the area: its middle as it is loaded where the area is wide. Default: that of its degrees. */
  readonly centre?: LonLat | undefined;
  readonly layers: ReadonlySet<Layer>;
  readonly window: Window;
  readonly cursor?: Instant | undefined;
  readonly speed?: Speed | undefined;
  /** How long positions live, as the live picture has shown. */
  readonly lifetimes: Lifetimes;
}

/** As `/api/history` and its cost are asked for it. */
export function queryOf({ area, centre, window, layers }: ReplayOpening): URLSearchParams {
  return new URLSearchParams({
    bbox: formatBbox(area),
    ...(centre && { centre: formatLonLat(centre) }),
    start: formatInstant(window.start),
    end: formatInstant(window.end),
    layers: LAYERS.filter((layer) => layers.has(layer)).join(','),
  });
}
