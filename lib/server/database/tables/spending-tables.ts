import 'server-only';

export interface SpendingTables {
  /** Counts by run of a server, so that a write can be repeated after a lost answer. */
  readonly spent: {
    /** `YYYY-MM-DD`, UTC. */
    readonly day: string;
    readonly operator: string;
    readonly run: string;
    readonly past: number;
    readonly first_views: number;
  };
  /** One row. */
  readonly demand_profile: {
    readonly id: 1;
    readonly saved: string;
  };
}
