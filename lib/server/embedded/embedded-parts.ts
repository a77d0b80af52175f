import 'server-only';
import type { Layer } from '#lib/model/position.ts';
import { type HistoryPart, type Part, partKey } from '../parts/history-part.ts';
import type { SharedParts, Taken } from '../ports/shared-parts.ts';
import { unlessAborted } from '../upstream/unless-aborted.ts';

/** Of an app that runs as one process: who is asking for which part. What was read is kept by its cache alone. */
export class EmbeddedParts implements SharedParts {
  readonly #asked = new Map<string, Promise<HistoryPart | undefined>>();

  async *over(): AsyncGenerator<HistoryPart> {}

  async take(layer: Layer, part: Part, signal: AbortSignal): Promise<Taken> {
    const key = partKey(layer, part);
    for (;;) {
      signal.throwIfAborted();
      const asked = this.#asked.get(key);
      if (!asked) break;
      const read = await unlessAborted(asked, signal);
      if (read) return { kind: 'read', part: read };
    }
    const { promise, resolve } = Promise.withResolvers<HistoryPart | undefined>();
    this.#asked.set(key, promise);
    return {
      kind: 'turn',
      end: async (read) => {
        this.#asked.delete(key);
        resolve(read);
      },
    };
  }
}
