import 'server-only';
import { z } from 'zod';
import { statusText } from './status-text.ts';

const statusSchema = z.object({
  view: z
    .object({
      lat: z.number().min(-90).max(90),
      lon: z.number().min(-180).max(180),
      zoom: z.number().min(0).max(18),
    })
    .nullable(),
});

export interface HomeView {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

/** A page waits no longer for it. */
const TIMEOUT_MS = 500;

/** Where the map opens: over what the receivers of the embedded service receive, or where the settings say. */
export class ReceivedHome {
  readonly #socket: string | undefined;
  #latest: HomeView;

  /** @param fallback for as long as nothing was received */
  constructor(socket: string | undefined, fallback: HomeView) {
    this.#socket = socket;
    this.#latest = fallback;
  }

  /** Never rejects: while nothing is received, or the service does not answer, it is where it was before. */
  async view(): Promise<HomeView> {
    if (this.#socket === undefined) return this.#latest;
    try {
      const { view } = statusSchema.parse(JSON.parse(await statusText(this.#socket, TIMEOUT_MS)));
      if (view !== null) this.#latest = view;
    } catch {
      // The page opens all the same; its notices say that the service is down.
    }
    return this.#latest;
  }
}
