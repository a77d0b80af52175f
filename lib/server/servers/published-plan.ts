import 'server-only';
import { type PlanToWrite, writtenPlan } from './plan-form.ts';
import type { ServerBoard } from './server-board.ts';

/** An unchanged plan only gets a sign of life. */
export class PublishedPlan {
  readonly #board: ServerBoard;
  readonly #fence: number;
  #body = '';
  #number = 0;

  constructor(board: ServerBoard, fence: number) {
    this.#board = board;
    this.#fence = fence;
  }

  /** @throws DatabaseFailure */
  async publish(toWrite: PlanToWrite): Promise<void> {
    const { at, ...plan } = writtenPlan(toWrite);
    const body = JSON.stringify(plan);
    const isSame = body === this.#body;
    if (!isSame) this.#number++;
    const text = isSame ? undefined : `{"at":${at},${body.slice(1)}`;
    const isWritten = await this.#board.writePlan(this.#fence, this.#number, text);
    // A crash of the database emptied the table.
    this.#body = isWritten ? body : '';
  }
}
