import 'server-only';
import type { MakesTables } from './table-form.ts';

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

export const makesOverviewTables: MakesTables = ({ text, integer, bytes, end }) => [
  `create table overview_hour (
    layer ${text} not null,
    hour_ms ${integer} not null,
    until_ms ${integer} not null,
    size ${integer} not null,
    sampling ${integer} not null,
    west ${integer},
    south ${integer},
    east ${integer},
    north ${integer},
    body ${bytes} not null,
    open_references ${bytes},
    primary key (layer, hour_ms)
  ) ${end}`,
];
