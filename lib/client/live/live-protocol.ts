import type { LiveFrame } from './live-frame.ts';

/** What the page asks of the worker. */
export type LiveRequest =
  | {
      readonly kind: 'fetch';
      readonly id: number;
      /** `/api/live`, absolute. */
      readonly address: string;
      readonly bbox: string;
      readonly centre: string;
      readonly layers: string;
      /** The reply that the page took over last: the next one can build on it. */
      readonly taken: number | undefined;
    }
  | { readonly kind: 'abort'; readonly id: number };

/** What the worker answers, once for each `fetch`. */
export type LiveReply =
  | { readonly kind: 'frame'; readonly id: number; readonly frame: LiveFrame }
  | { readonly kind: 'signed-out'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };
