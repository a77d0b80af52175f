import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/**
 * The instant from which a window is loaded outwards: the beginning of the cursor's minute, so that operators with almost the same
 * time load the same parts. The minutes before the cursor are loaded first, because they are seen first.
 */
export function loadedFrom(loaded: Window, cursor: UpstreamInstant): UpstreamInstant {
  const begins = upstreamInstant(Math.floor(epochMs(cursor) / MINUTE_MS) * MINUTE_MS);
  return begins > loaded.start ? begins : loaded.start;
}

/** A drag over the timeline asks for its end alone. */
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
    this.#load = crypto.randomUUID();
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
