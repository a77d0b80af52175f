import type { HistoryCost } from '#lib/api/history-cost.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
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
  readonly layers: ReadonlySet<Layer>;
  readonly window: Window;
  readonly cursor?: Instant | undefined;
  readonly speed?: Speed | undefined;
  /** How long positions live, as the live picture has shown. */
  readonly lifetimes: Lifetimes;
}

/** As `/api/history` and its cost are asked for it. */
export function queryOf({ area, window, layers }: ReplayOpening): URLSearchParams {
  return new URLSearchParams({
    bbox: formatBbox(area),
    start: formatInstant(window.start),
    end: formatInstant(window.end),
    layers: LAYERS.filter((layer) => layers.has(layer)).join(','),
  });
}
