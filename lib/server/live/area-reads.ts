import 'server-only';
import type { Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { LiveArea } from './snapshots.ts';

interface AreaRead {
  readonly kind: 'read';
  readonly area: LiveArea;
  /** The positions of the read: without those of earlier reads in the snapshot, but with those of the pages before. */
  readonly positions: ReadonlyMap<string, Position>;
  readonly readAt: UpstreamInstant;
  readonly isComplete: boolean;
  /** `undefined` where the upstream reports none. */
  readonly reception?: Reception | undefined;
}

/** Another server's read, of which this server lacks some records. */
interface AreaMissed {
  readonly kind: 'missed';
  readonly area: LiveArea;
  readonly before: UpstreamInstant;
}

export type AreaEvent = AreaRead | AreaMissed;

export class AreaReads {
  readonly #listeners = new Set<(event: AreaEvent) => void>();

  /** @param listener must not throw @returns ends the subscription */
  subscribe(listener: (event: AreaEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: AreaEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
