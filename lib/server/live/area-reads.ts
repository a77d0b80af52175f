import 'server-only';
import type { Position } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Area } from './snapshots.ts';

/** An area's read, published once its snapshot holds it. */
interface AreaRead {
  readonly kind: 'read';
  readonly area: Area;
  /** Without those that the snapshot kept of earlier reads. Of a read with several pages, also those of the pages before. */
  readonly positions: ReadonlyMap<string, Position>;
  readonly readAt: UpstreamInstant;
  /** Whether it is all that the service had. */
  readonly isComplete: boolean;
}

/** Another server has read the area before then, and this server lacks some of the records. */
interface AreaMissed {
  readonly kind: 'missed';
  readonly area: Area;
  readonly before: UpstreamInstant;
}

export type AreaEvent = AreaRead | AreaMissed;

/** Publishes that an area was read, by this server or by another one: once for each change of its snapshot here. */
export class AreaReads {
  readonly #listeners = new Set<(event: AreaEvent) => void>();

  /** @param listener must not throw. @returns ends the subscription */
  subscribe(listener: (event: AreaEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: AreaEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
