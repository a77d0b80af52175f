import 'server-only';

/**
 * The right to be the writer: the one server that sends requests upstream, keeps the ledger, plans, and writes what was read. All others are readers.
 * Over SQLite a server always has it, as it has DATA_DIR to itself.
 */
export interface WriterLease {
  /** The number of this server's turn as the writer: greater than that of every writer before it. `undefined`: this server is a reader. */
  readonly fence: number | undefined;
  /** Calls `changed` after this server became the writer, or a reader again. @returns what ends that */
  onChange(changed: () => void): () => void;
}

/** Of a server that has the database to itself. */
export const ONLY_SERVER: WriterLease = { fence: 1, onChange: () => () => undefined };
