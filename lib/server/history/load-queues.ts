import 'server-only';
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { Coalesced } from '#lib/async/coalesced.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { Asks } from '../database/asks.ts';
import type { Database } from '../database/database.ts';
import type { Part } from '../supervision/supervisor.ts';
import { OperatorQueue, type Place } from '../work/operator-queue.ts';
import { WORK } from '../work/work-table.ts';

export interface SeekableLoad {
  readonly name: string | undefined;
  seek(from: UpstreamInstant): void;
}

/** The loads of each operator, in order. No load waits for another operator's, and a running one can be moved to another cursor. */
export class LoadQueues {
  readonly #queue = new OperatorQueue<SeekableLoad>(WORK.load);
  readonly #farSeeks: FarSeeks | undefined;

  /** @param shared by several servers */
  constructor(shared?: { readonly database: Database; readonly part: Part }) {
    const seekHere = (operator: string, name: string, from: UpstreamInstant) => this.#seekHere(operator, name, from);
    const isFar = shared?.database.dialect === 'postgres';
    this.#farSeeks = isFar ? new FarSeeks(shared.database, shared.part, seekHere) : undefined;
  }

  get loads(): OperatorQueue<SeekableLoad>['counts'] {
    return this.#queue.counts;
  }

  /** @throws ApiError where the operator's queue is full, or the signal's reason where it is aborted already */
  enter(operator: string, seekable: SeekableLoad, signal: AbortSignal): Place {
    return this.#queue.enter(operator, seekable, signal);
  }

  /** Moves a load to another start, on whichever server it runs. @returns false if no server has it within a second */
  async seek(operator: string, name: string, from: UpstreamInstant): Promise<boolean> {
    return this.#seekHere(operator, name, from) || ((await this.#farSeeks?.seek(operator, name, from)) ?? false);
  }

  close(): void {
    this.#farSeeks?.close();
  }

  #seekHere(operator: string, name: string, from: UpstreamInstant): boolean {
    const load = this.#queue.of(operator).findLast((seekable) => seekable.name === name);
    load?.seek(from);
    return load !== undefined;
  }
}

const seekSchema = z.object({ operator: z.string(), name: z.string(), from_ms: z.number() });

type SeekHere = (operator: string, name: string, from: UpstreamInstant) => boolean;

/** Moves loads that run at another server. */
class FarSeeks {
  readonly #asks: Asks<z.infer<typeof seekSchema>>;
  readonly #part: Part;
  readonly #seekHere: SeekHere;
  readonly #end: () => void;
  /** Own seeks, which this server has looked for already. */
  readonly #waiting = new Map<string, (isFound: boolean) => void>();
  readonly #polls = new Coalesced(() => this.#part.run(() => this.#poll()));

  constructor(database: Database, part: Part, seekHere: SeekHere) {
    this.#part = part;
    this.#asks = new Asks(database, 'seek', seekSchema);
    this.#seekHere = seekHere;
    // A `Part` never rejects.
    this.#end = this.#asks.onChange(() => void this.#polls.run());
  }

  /** @returns false where no server answers within a second */
  async seek(operator: string, name: string, from: UpstreamInstant): Promise<boolean> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, SECOND_MS, false);
    this.#waiting.set(id, resolve);
    this.#asks.ask({ operator, name, from_ms: epochMs(from) }, id).catch(() => resolve(false));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  close(): void {
    this.#end();
  }

  async #poll(): Promise<void> {
    for (const id of await this.#asks.answered([...this.#waiting.keys()])) this.#waiting.get(id)?.(true);
    for (const { id, body } of await this.#asks.open())
      if (!this.#waiting.has(id) && this.#seekHere(body.operator, body.name, upstreamInstant(body.from_ms)))
        await this.#asks.answer(id);
  }
}
