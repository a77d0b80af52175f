import 'server-only';
import type { Logger } from 'pino';
import type { DemandOfAll } from '../live/plan/demand-of-all.ts';
import { readCells } from './demand-form.ts';
import type { ServerBoard, ServerRow } from './server-board.ts';

export class ReportedDemand {
  readonly #board: ServerBoard;
  readonly #demand: DemandOfAll;
  readonly #ownId: string;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #versions = new Map<string, number>();
  #servers: readonly ServerRow[] = [];

  constructor(board: ServerBoard, demand: DemandOfAll, ownId: string, log: Pick<Logger, 'warn'>) {
    this.#board = board;
    this.#demand = demand;
    this.#ownId = ownId;
    this.#log = log;
  }

  get servers(): readonly ServerRow[] {
    return this.#servers;
  }

  get versions(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#versions);
  }

  /** @returns whether any demand changed @throws DatabaseFailure */
  async read(): Promise<boolean> {
    this.#servers = await this.#board.readServers();
    const others = new Map(
      this.#servers.filter(({ id }) => id !== this.#ownId).map(({ id, version }) => [id, version]),
    );
    for (const id of this.#versions.keys()) {
      if (others.has(id)) continue;
      this.#versions.delete(id);
      this.#demand.forget(id);
    }
    const changed = [...others].filter(([id, version]) => this.#versions.get(id) !== version).map(([id]) => id);
    if (changed.length === 0) return false;
    for (const { id, version, viewers, cells } of await this.#board.readCells(changed)) {
      const read = readCells(cells);
      if (read) this.#demand.report(id, { viewers, cells: read });
      else this.#log.warn({ server: id }, 'the demand of a server cannot be read');
      this.#versions.set(id, version);
    }
    return true;
  }

  forget(): void {
    this.#demand.forgetReports();
    this.#versions.clear();
  }
}
