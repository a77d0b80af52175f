import { type Bbox, formatBbox, formatLonLat } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { Layer } from '#lib/model/position.ts';
import { SignedOutError } from '../request/signed-out-error.ts';
import type { LiveFrame } from './live-frame.ts';
import type { LiveReply, LiveRequest } from './live-protocol.ts';

/** What a map asks for. */
export interface AskedView {
  readonly bbox: Bbox;
  /** The middle of the screen, inside of `bbox`: what is too large to be watched is watched around it. */
  readonly centre: LonLat;
}

type Settle = (reply: LiveReply) => void;

/** Asks `/api/live` through a worker. */
export class LiveClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Settle>();
  #lastId = 0;
  #taken: { readonly id: number; readonly generation: number } | undefined;

  constructor() {
    this.#worker = new Worker(new URL('./live-worker.ts', import.meta.url), { type: 'module', name: 'live' });
    this.#worker.onmessage = ({ data: reply }: MessageEvent<LiveReply>) => this.#settle(reply);
    this.#worker.onerror = (event) => {
      for (const id of this.#waiting.keys()) this.#settle({ kind: 'failed', id, message: event.message });
    };
  }

  /** The frame of that id is in the store: the next one may hold only what changed since. */
  acknowledge(id: number, generation: number): void {
    this.#taken = { id, generation };
  }

  /**
   * @param generation another number whenever the store has forgotten records that it was given
   * @throws SignedOutError where nobody is signed in any more
   * @throws Error where no answer could be had, or `signal` was aborted
   */
  async fetch(
    view: AskedView,
    layers: readonly Layer[],
    generation: number,
    signal: AbortSignal,
  ): Promise<{ readonly id: number; readonly frame: LiveFrame }> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const abort = () => {
      this.#post({ kind: 'abort', id });
      this.#settle({ kind: 'failed', id, message: 'aborted' });
    };
    signal.addEventListener('abort', abort, { once: true });
    const reply = await new Promise<LiveReply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#post({
        kind: 'fetch',
        id,
        address: new URL('/api/live', window.location.href).href,
        bbox: formatBbox(view.bbox),
        centre: formatLonLat(view.centre),
        layers: layers.join(','),
        taken: this.#taken?.generation === generation ? this.#taken.id : undefined,
      });
    });
    signal.removeEventListener('abort', abort);
    signal.throwIfAborted();
    switch (reply.kind) {
      case 'frame':
        return { id, frame: reply.frame };
      case 'signed-out':
        throw new SignedOutError('nobody is signed in');
      case 'failed':
        throw new Error(reply.message);
    }
  }

  close(): void {
    this.#worker.terminate();
  }

  #post(request: LiveRequest): void {
    this.#worker.postMessage(request);
  }

  #settle(reply: LiveReply): void {
    this.#waiting.get(reply.id)?.(reply);
    this.#waiting.delete(reply.id);
  }
}
