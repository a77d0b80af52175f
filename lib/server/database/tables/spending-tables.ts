import 'server-only';
import type { MakesTables } from './table-form.ts';

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

export const makesSpendingTables: MakesTables = ({ text, integer, end }) => [
  `create table spent (
    day ${text} not null,
    operator ${text} not null,
    run ${text} not null,
    past ${integer} not null,
    first_views ${integer} not null,
    primary key (day, operator, run)
  ) ${end}`,
  `create table demand_profile (id ${integer} primary key, saved ${text} not null) ${end}`,
];
