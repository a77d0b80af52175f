import 'server-only';

/** One of a table of which every server has a copy. */
export interface SharedRow {
  readonly id: string;
  /** The higher one wins, and of the same ones the greater text. */
  readonly revision: number;
  readonly text: string;
}

/** Up to where a copy has learnt what is in the store; no `run`: not at all. */
export interface RowsMark {
  readonly run: string;
  /** The run of the server that said so. */
  readonly server: string;
  readonly version: number;
}

export const NO_MARK: RowsMark = { run: '', server: '', version: 0 };

export interface RowsExchange {
  readonly mark: RowsMark;
  /** What others have written since, without what was given. */
  readonly rows: readonly SharedRow[];
  /** Whether there is more of it. */
  readonly isMore: boolean;
  /** Whether the store may have lost what this copy has: then the copy gives everything again, and nothing was written now. */
  readonly isAnew: boolean;
  /** Whether what was given is in the store, or something newer is; only an exchange that depends on the mark is ever refused. */
  readonly isWritten: boolean;
}

/** In one exchange. */
export const ROWS_AT_ONCE = 500;

/** A table of which several servers have a copy each, in a file of their own. Both methods throw `SharedStoreFailure`. */
export interface SharedRows {
  /**
   * Gives what is new in a copy, and learns what others have given. Where it fails, it may be written all the same; to give it again does no harm.
   * @param given at most `ROWS_AT_ONCE`
   * @param dependsOnMark nothing is written where something has changed since the mark
   */
  exchange(mark: RowsMark, given: readonly SharedRow[], dependsOnMark?: boolean): Promise<RowsExchange>;
  /** A row whose text means nothing to whoever read it. */
  setAside(id: string): Promise<void>;
}
