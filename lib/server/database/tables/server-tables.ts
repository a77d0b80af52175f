import 'server-only';
import type { MakesTables } from './table-form.ts';

/** Owned by `servers`: what several servers tell each other. Only the lease outlives a crash of the database. */
export interface ServerTables {
  /** One row. It changes only when another server becomes the writer, so that writes can lock it without delaying renewals. */
  readonly writer: {
    readonly id: 1;
    readonly fence: number;
    /** Name of the server that took it last. */
    readonly holder: string;
  };
  /** One row. */
  readonly writer_lease: {
    readonly id: 1;
    /** Until then no other server may take the lease, by the database's clock. */
    readonly until_ms: number;
  };
  /** The latest snapshot of each area. */
  readonly frame: {
    readonly key: string;
    readonly name: string;
    readonly sequence: number;
    /** As `frame-body.ts` writes it. */
    readonly body: Uint8Array;
  };
  /** One row: the areas that the writer refreshes. */
  readonly live_plan: {
    readonly id: 1;
    readonly fence: number;
    readonly number: number;
    /** By the database's clock: at least each second. */
    readonly written_ms: number;
    /** JSON, as `plan-form.ts` writes it. */
    readonly body: string;
  };
  /** The areas that each server's viewers look at. */
  readonly server: {
    readonly id: string;
    /** For operators; '' once it stops. */
    readonly name: string;
    /** By the database's clock. */
    readonly seen_ms: number;
    readonly version: number;
    readonly viewers: number;
    /** JSON, as `demand-form.ts` writes it. */
    readonly cells: string;
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
