import 'server-only';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import { DatabaseFailure } from '../database/database-failure.ts';

const SEEK = 'seek';
const FOUND = 'seek-found';

const seekSchema = z.object({
  id: z.string(),
  operator: z.string(),
  name: z.string(),
  from: z.number().transform(upstreamInstant),
});

type SeekHere = (operator: string, name: string, from: UpstreamInstant) => boolean;

export class FarSeeks {
  readonly #database: Database;
  readonly #ends: readonly (() => void)[];
  readonly #waiting = new Map<string, () => void>();

  constructor(database: Database, seekHere: SeekHere) {
    this.#database = database;
    this.#ends = [
      database.listen(SEEK, (text) => {
        if (text !== undefined) void this.#heard(text, seekHere);
      }),
      database.listen(FOUND, (id) => {
        if (id !== undefined) this.#waiting.get(id)?.();
      }),
    ];
  }

  /** @returns false where no server answers within a second */
  async seek(operator: string, name: string, from: UpstreamInstant): Promise<boolean> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, SECOND_MS, false);
    this.#waiting.set(id, () => resolve(true));
    this.#tell(SEEK, JSON.stringify({ id, operator, name, from: epochMs(from) })).catch(() => resolve(false));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  async #heard(text: string, seekHere: SeekHere): Promise<void> {
    const { id, operator, name, from } = seekSchema.parse(JSON.parse(text));
    // This server has looked already.
    if (this.#waiting.has(id) || !seekHere(operator, name, from)) return;
    await this.#tell(FOUND, id).catch((error: unknown) => {
      if (!(error instanceof DatabaseFailure)) throw error;
    });
  }

  async #tell(topic: string, text: string): Promise<void> {
    await this.#database.tell(this.#database.query, topic, text);
  }
}
