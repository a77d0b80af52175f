import 'server-only';
import type { MakesTables } from './table-form.ts';

export interface AllowanceTables {
  readonly ledger: {
    /** Named after the upstream's address. */
    readonly account: string;
    readonly saved: string;
  };
}

export const makesAllowanceTables: MakesTables = ({ text, end }) => [
  `create table ledger (account ${text} primary key, saved ${text} not null) ${end}`,
];
