import 'server-only';
import { request } from 'node:http';
import { z } from 'zod';
import type { HomeView } from './config.ts';

const statusSchema = z.object({
  view: z
    .object({
      lat: z.number().min(-90).max(90),
      lon: z.number().min(-180).max(180),
      zoom: z.number().min(0).max(18),
    })
    .nullable(),
});

/** A page does not wait longer for it. */
const TIMEOUT_MS = 500;
const STATUS_MAX_BYTES = 1024 * 1024;

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
      const { view } = statusSchema.parse(JSON.parse(await textAt(this.#socket)));
      if (view !== null) this.#latest = view;
    } catch {
      // The page opens all the same; that the service is down is told in its notices.
    }
    return this.#latest;
  }
}

function textAt(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const asking = request({ socketPath, path: '/', signal }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > STATUS_MAX_BYTES) response.destroy(new Error('a status that long is none'));
        else chunks.push(chunk);
      });
      response.once('error', reject);
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    asking.once('error', reject);
    asking.end();
  });
}
