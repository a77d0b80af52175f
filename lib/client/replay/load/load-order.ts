import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { randomId } from '../../browser/random-id.ts';

/** The beginning of the cursor's minute, so that operators with similar cursors load the same parts. */
export function loadedFrom(loaded: Window, cursor: UpstreamInstant): UpstreamInstant {
  const begins = upstreamInstant(Math.floor(epochMs(cursor) / MINUTE_MS) * MINUTE_MS);
  return begins > loaded.start ? begins : loaded.start;
}

/** Debounce: a drag over the timeline requests only its end. */
const REST_MS = 250;

export class LoadOrder {
  readonly #seek: (load: string, from: UpstreamInstant) => void;
  #load: string | undefined;
  #from: UpstreamInstant | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(seek: (load: string, from: UpstreamInstant) => void) {
    this.#seek = seek;
  }

  /** @returns the name of the load that begins now */
  begin(from: UpstreamInstant): string {
    this.end();
    this.#load = randomId();
    this.#from = from;
    return this.#load;
  }

  moved(from: UpstreamInstant): void {
    clearTimeout(this.#resting);
    const load = this.#load;
    if (load === undefined || from === this.#from) return;
    this.#resting = setTimeout(() => {
      this.#from = from;
      this.#seek(load, from);
    }, REST_MS);
  }

  end(): void {
    clearTimeout(this.#resting);
    this.#load = undefined;
  }
}
