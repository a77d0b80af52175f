import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import type { Part } from '../supervision/supervisor.ts';
import { OperatorQueue, type Place } from '../work/operator-queue.ts';
import { WORK } from '../work/work-table.ts';
import { FarSeeks } from './far-seeks.ts';

export interface SeekableLoad {
  readonly name: string | undefined;
  seek(from: UpstreamInstant): void;
}

/** No load waits for another operator's. */
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

  /** At whichever server. @returns false where none is found within a second */
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
