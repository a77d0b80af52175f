import 'server-only';
import type { MakesTables } from './table-form.ts';

/** Edges of the box are in 10⁻⁷ degrees, as in the contract. */
export interface PartColumns {
  readonly layer: string;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly start_ms: number;
  readonly end_ms: number;
}

export interface HistoryTables {
  readonly part: PartColumns & {
    /** Another account of the upstream may receive other records. */
    readonly account: string;
    readonly key: string;
    readonly records: number;
    readonly truncated: 0 | 1;
    /** Of the body's format, and of the reader, which may have dropped records. */
    readonly version: string;
    readonly body: Uint8Array;
    /** As JSON; null where the upstream reports none. */
    readonly reception: string | null;
    /** To some minutes: the least recently used are evicted. */
    readonly used_ms: number;
  };
  /** Parts that readers want from the writer. */
  readonly wanted_part: PartColumns & {
    readonly id: string;
    readonly account: string;
    readonly server: string;
    readonly operator: string;
    readonly role: string | null;
    readonly request_id: string | null;
    /** By the database's clock; the waiting reader renews it. */
    readonly asked_ms: number;
    /** By the database's clock; the writer renews it while it reads the part. */
    readonly taken_ms: number;
  };
  readonly answered_part: {
    readonly id: string;
    readonly server: string;
    readonly outcome: string;
    readonly body: Uint8Array | null;
    readonly answered_ms: number;
  };
}

export const makesHistoryTables: MakesTables = ({ text, integer, bytes, unlogged, end }) => {
  const part = `
    layer ${text} not null,
    west ${integer} not null,
    south ${integer} not null,
    east ${integer} not null,
    north ${integer} not null,
    start_ms ${integer} not null,
    end_ms ${integer} not null`;
  return [
    `create table part (
      account ${text} not null,
      key ${text} not null,${part},
      records ${integer} not null,
      truncated ${integer} not null,
      version ${text} not null,
      body ${bytes} not null,
      used_ms ${integer} not null,
      primary key (account, key)
    ) ${end}`,
    'create index part_place on part (account, layer, start_ms)',
    'create index part_used on part (used_ms)',
    `create ${unlogged} table wanted_part (
      id ${text} primary key,
      account ${text} not null,
      server ${text} not null,${part},
      operator ${text} not null,
      role ${text},
      request_id ${text},
      asked_ms ${integer} not null,
      taken_ms ${integer} not null
    ) ${end}`,
    `create ${unlogged} table answered_part (
      id ${text} primary key,
      server ${text} not null,
      outcome ${text} not null,
      body ${bytes},
      answered_ms ${integer} not null
    ) ${end}`,
  ];
};

/** Older parts have another version, so they are read again. */
export const addsReceptionOfParts: MakesTables = ({ text }) => [`alter table part add column reception ${text}`];
