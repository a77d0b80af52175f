import 'server-only';

/** Only the lease outlives a crash of the database. */
export interface ServerTables {
  /** One row, which changes only with the writer: writes can lock it without delaying renewals. */
  readonly writer: {
    readonly id: 1;
    readonly fence: number;
    readonly holder: string;
  };
  readonly writer_lease: {
    readonly id: 1;
    /** By the database's clock. */
    readonly until_ms: number;
  };
  readonly frame: {
    readonly key: string;
    readonly name: string;
    readonly sequence: number;
    /** As `shared-frames.ts` writes it. */
    readonly body: Uint8Array;
  };
  /** One row. */
  readonly live_plan: {
    readonly id: 1;
    readonly fence: number;
    readonly number: number;
    /** By the database's clock, each second. */
    readonly written_ms: number;
    readonly body: string;
  };
  readonly server: {
    readonly id: string;
    /** For operators; '' once it stops. */
    readonly name: string;
    /** By the database's clock. */
    readonly seen_ms: number;
    readonly version: number;
    readonly viewers: number;
    readonly cells: string;
  };
  /** Questions of servers to the others, for a few seconds: notices are only hints to read them. */
  readonly server_ask: {
    readonly id: string;
    readonly topic: string;
    readonly body: string;
    /** By the database's clock. */
    readonly asked_ms: number;
    readonly answered: 0 | 1;
  };
}
