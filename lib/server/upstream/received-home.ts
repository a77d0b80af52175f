import 'server-only';
import { z } from 'zod';
import { HOME_ZOOM } from '#lib/geo/zoom-limits.ts';
import { statusText } from './status-text.ts';

const statusSchema = z.object({
  view: z
    .object({
      lat: z.number().min(-90).max(90),
      lon: z.number().min(-180).max(180),
      zoom: z.number().min(HOME_ZOOM.min).max(HOME_ZOOM.max),
    })
    .nullable(),
});

export interface HomeView {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

/** Pages wait for it. */
const TIMEOUT_MS = 500;

/** Where the map opens: where the service's receivers receive, or where the settings say. */
export class ReceivedHome {
  readonly #socket: string | undefined;
  #latest: HomeView;

  /** @param fallback until something was received */
  constructor(socket: string | undefined, fallback: HomeView) {
    this.#socket = socket;
    this.#latest = fallback;
  }

  /** Never rejects: falls back to the latest view. */
  async view(): Promise<HomeView> {
    if (this.#socket === undefined) return this.#latest;
    try {
      const { view } = statusSchema.parse(JSON.parse(await statusText(this.#socket, { timeoutMs: TIMEOUT_MS })));
      if (view !== null) this.#latest = view;
    } catch {
      // The page's notices say that the service is down.
    }
    return this.#latest;
  }
}
