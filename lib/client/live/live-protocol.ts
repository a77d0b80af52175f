import type { WorkerFailure } from '../request/worker-failure.ts';
import type { LiveFrame } from './live-frame.ts';

export interface LiveFetch {
  readonly address: string;
  readonly bbox: string;
  readonly centre: string;
  readonly home: string | undefined;
  readonly layers: string;
  /** The next frame may build on it. */
  readonly acknowledged: number | undefined;
}

export type LiveReply = { readonly kind: 'frame'; readonly id: number; readonly frame: LiveFrame } | WorkerFailure;
