import type { WorkerFailure } from '../request/page-worker.ts';
import type { LiveFrame } from './live-frame.ts';

export interface LiveFetch {
  readonly kind: 'fetch';
  readonly address: string;
  readonly bbox: string;
  readonly centre: string;
  readonly home: string | undefined;
  readonly layers: string;
  /** The next frame may build on it. */
  readonly acknowledged: number | undefined;
}

export type LiveRequest = (LiveFetch | { readonly kind: 'abort' }) & { readonly id: number };

export type LiveReply =
  | { readonly kind: 'frame'; readonly id: number; readonly frame: LiveFrame }
  | { readonly kind: 'signed-out' | 'database-lost'; readonly id: number }
  | WorkerFailure;
