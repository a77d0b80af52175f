import 'server-only';

export interface AllowanceTables {
  readonly ledger: {
    /** Named after the upstream's address. */
    readonly account: string;
    readonly saved: string;
  };
}
