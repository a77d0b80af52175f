import 'server-only';
import { SEEN_EVERY_MS } from '../database/servers-present.ts';
import type { Demand } from '../live/plan/demand.ts';
import { writeCells } from './demand-form.ts';
import type { ServerBoard } from './server-board.ts';

export class OwnReport {
  readonly #board: ServerBoard;
  readonly #demand: Demand;
  readonly #id: string;
  readonly #name: string;
  #edition: number | undefined;
  #writtenMs = Number.NEGATIVE_INFINITY;

  constructor(board: ServerBoard, demand: Demand, id: string, name: string) {
    this.#board = board;
    this.#demand = demand;
    this.#id = id;
    this.#name = name;
  }

  /**
   * @param isLeaving its viewers move to other servers
   * @throws DatabaseFailure
   */
  async write(isLeaving = false): Promise<void> {
    const { version, edition, viewers } = this.#demand;
    const name = isLeaving ? '' : this.#name;
    const isSame = edition === this.#edition;
    const nowMs = performance.now();
    if (isSame && !isLeaving && nowMs - this.#writtenMs < SEEN_EVERY_MS) return;
    const isThere = await this.#board.writeServer(
      this.#id,
      name,
      isSame ? undefined : { version, viewers, cells: writeCells(this.#demand) },
    );
    if (!isThere) return await this.#again(isLeaving);
    this.#edition = edition;
    this.#writtenMs = nowMs;
  }

  /** A crash of the database emptied the table. */
  async #again(isLeaving: boolean): Promise<void> {
    this.#edition = undefined;
    await this.write(isLeaving);
  }
}
