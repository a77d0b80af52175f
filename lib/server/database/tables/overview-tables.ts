import 'server-only';

/** Owned by `overview`. */
export interface OverviewTables {
  /** Received positions and watched time of a layer, by hour. */
  readonly overview_hour: {
    readonly layer: string;
    readonly hour_ms: number;
    /** Counted until then. */
    readonly until_ms: number;
    /** Sides of cells are 2 ** size units of 1/256°. */
    readonly size: number;
    readonly sampling: number;
    /** In units from 180° W and the south pole; null: nothing was watched or received. */
    readonly west: number | null;
    readonly south: number | null;
    readonly east: number | null;
    readonly north: number | null;
    /** As lib/overview/hour-body.ts writes it; Brotli. */
    readonly body: Uint8Array;
    /** Hashes and times, to count on after a restart. null: the hour is closed. */
    readonly open_references: Uint8Array | null;
  };
}
