import 'server-only';
import type { MakesTables } from './table-form.ts';

export interface ReadAccessTables {
  readonly read_token: {
    readonly id: string;
    readonly digest: string;
    readonly name: string;
    /** Separated by commas. */
    readonly scopes: string;
    /** `W,S,E,N` */
    readonly area: string | null;
    readonly altitude_as: string | null;
    readonly made_ms: number;
    readonly made_by: string;
    readonly ends_ms: number | null;
    readonly used_ms: number | null;
  };
}

export const makesReadAccessTables: MakesTables = ({ text, integer, end }) => [
  `create table read_token (
    id ${text} primary key,
    digest ${text} not null,
    name ${text} not null,
    scopes ${text} not null,
    area ${text},
    altitude_as ${text},
    made_ms ${integer} not null,
    made_by ${text} not null,
    ends_ms ${integer},
    used_ms ${integer}
  ) ${end}`,
  'create unique index read_token_digest on read_token (digest)',
  'create unique index read_token_name on read_token (name)',
];
