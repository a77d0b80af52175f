import 'server-only';
import { type StorageProblem, storageProblem } from '../database/storage-problem.ts';

/** A store that could not be written, or that can be written again. */
export type StoreReport =
  | { readonly store: string; readonly problem: StorageProblem; readonly error: unknown }
  | { readonly store: string; readonly problem: undefined };

interface Failing {
  readonly problem: StorageProblem;
  readonly retry: () => void;
}

/** Which stores cannot be written at present. Each failure is reported when it begins and when it ends, however many writes it takes. */
export class StoreHealth {
  readonly #report: (report: StoreReport) => void;
  readonly #failing = new Map<string, Failing>();

  constructor(report: (report: StoreReport) => void = () => undefined) {
    this.#report = report;
  }

  /**
   * @param write may be called again later, to learn whether the store can be written again
   * @returns whether it was written
   * @throws what `write` throws, if that is not the fault of a file
   */
  written(store: string, write: () => void): boolean {
    try {
      write();
    } catch (error) {
      const problem = storageProblem(error);
      if (problem === undefined) throw error;
      const isKnown = this.#failing.get(store)?.problem === problem;
      this.#failing.set(store, { problem, retry: write });
      if (!isKnown) this.#report({ store, problem, error });
      return false;
    }
    if (this.#failing.delete(store)) this.#report({ store, problem: undefined });
    return true;
  }

  /** Writes again what could not be written. @returns the stores that still fail, and why */
  retried(): ReadonlyMap<string, StorageProblem> {
    for (const [store, { retry }] of [...this.#failing]) this.written(store, retry);
    return new Map([...this.#failing].map(([store, { problem }]) => [store, problem]));
  }
}
