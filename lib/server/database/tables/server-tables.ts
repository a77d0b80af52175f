import 'server-only';
import type { MakesTables } from './table-form.ts';

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
    /** As `frame-body.ts` writes it. */
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

export const makesServerTables: MakesTables = ({ text, integer, bytes, unlogged, end }) => [
  `create table writer (id ${integer} primary key, fence ${integer} not null, holder ${text} not null) ${end}`,
  `create table writer_lease (id ${integer} primary key, until_ms ${integer} not null) ${end}`,
  `insert into writer values (1, 0, '')`,
  'insert into writer_lease values (1, 0)',
  `create ${unlogged} table frame (
    key ${text} primary key,
    name ${text} not null,
    sequence ${integer} not null,
    body ${bytes} not null
  ) ${end}`,
  `create ${unlogged} table live_plan (
    id ${integer} primary key,
    fence ${integer} not null,
    number ${integer} not null,
    written_ms ${integer} not null,
    body ${text} not null
  ) ${end}`,
  `create ${unlogged} table server (
    id ${text} primary key,
    name ${text} not null,
    seen_ms ${integer} not null,
    version ${integer} not null,
    viewers ${integer} not null,
    cells ${text} not null
  ) ${end}`,
];

export const makesServerAsks: MakesTables = ({ text, integer, unlogged, end }) => [
  `create ${unlogged} table server_ask (
    id ${text} primary key,
    topic ${text} not null,
    body ${text} not null,
    asked_ms ${integer} not null,
    answered ${integer} not null
  ) ${end}`,
];
