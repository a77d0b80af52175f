import 'server-only';
import type { Demand } from '../live/plan/demand.ts';
import { writeCells } from './demand-form.ts';
import { SEEN_EVERY_MS, type ServerBoard } from './server-board.ts';

/** The areas that this server's viewers look at, as reported to the writer. */
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
   * Writes it where it changed, and otherwise from time to time that this server is there.
   * @param isLeaving it stops, and its viewers go on at other servers
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
