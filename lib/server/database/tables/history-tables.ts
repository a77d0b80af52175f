import 'server-only';

/** Edges of the box are in 10⁻⁷ degrees, as in the contract. */
export interface PartColumns {
  readonly layer: string;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly start_ms: number;
  readonly end_ms: number;
}

export interface HistoryTables {
  readonly part: PartColumns & {
    /** Another account of the upstream may receive other records. */
    readonly account: string;
    readonly key: string;
    readonly records: number;
    readonly truncated: 0 | 1;
    /** Of the body's format, and of the reader, which may have dropped records. */
    readonly version: string;
    readonly body: Uint8Array;
    /** As JSON; null where the upstream reports none. */
    readonly reception: string | null;
    /** To some minutes: the least recently used are evicted. */
    readonly used_ms: number;
  };
  /** Parts that readers want from the writer. */
  readonly wanted_part: PartColumns & {
    readonly id: string;
    readonly account: string;
    readonly server: string;
    readonly operator: string;
    readonly role: string | null;
    readonly request_id: string | null;
    /** By the database's clock; the waiting reader renews it. */
    readonly asked_ms: number;
    /** By the database's clock; the writer renews it while it reads the part. */
    readonly taken_ms: number;
  };
  readonly answered_part: {
    readonly id: string;
    readonly server: string;
    readonly outcome: string;
    readonly body: Uint8Array | null;
    readonly answered_ms: number;
  };
}
