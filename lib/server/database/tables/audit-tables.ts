import 'server-only';

export interface AuditTables {
  readonly audit_event: {
    /** Sorts by time: milliseconds, a number, and the writing process. */
    readonly id: string;
    readonly at_ms: number;
    readonly last_ms: number;
    readonly times: number;
    readonly kind: string;
    /** The kind of counted events. */
    readonly of_kind: string | null;
    readonly operator: string | null;
    readonly name: string | null;
    /** The affected operator's id. */
    readonly person: string | null;
    readonly address: string | null;
    readonly request_id: string | null;
    readonly details: string;
  };
}
