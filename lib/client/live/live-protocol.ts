import type { WorkerFailure } from '../request/page-worker.ts';
import type { LiveFrame } from './live-frame.ts';

export interface LiveFetch {
  readonly kind: 'fetch';
  /** `/api/live`, absolute. */
  readonly address: string;
  readonly bbox: string;
  readonly centre: string;
  readonly home: string | undefined;
  readonly layers: string;
  /** Id of the last frame that the page applied: the next one may build on it. */
  readonly acknowledged: number | undefined;
}

/** Messages from the page to the worker. */
export type LiveRequest = (LiveFetch | { readonly kind: 'abort' }) & { readonly id: number };

/** Messages from the worker to the page, one for each `fetch`. */
export type LiveReply =
  | { readonly kind: 'frame'; readonly id: number; readonly frame: LiveFrame }
  | { readonly kind: 'signed-out' | 'database-lost'; readonly id: number }
  | WorkerFailure;
