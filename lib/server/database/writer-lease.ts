import 'server-only';

/**
 * The right to be the one server that sends requests, keeps the ledger, plans, and writes. All others are readers; over
 * SQLite there is only one.
 */
export interface WriterLease {
  /** Greater than those of all writers before. `undefined`: a reader. */
  readonly fence: number | undefined;
  /** @returns the end of listening */
  onChange(changed: () => void): () => void;
}

export const ONLY_SERVER: WriterLease = { fence: 1, onChange: () => () => undefined };
