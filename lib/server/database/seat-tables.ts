import 'server-only';
import type { MakesTables } from './table-form.ts';

/** Owned by `servers`. Each has one row. */
export interface SeatTables {
  /** Changes only when another server becomes the writer, so that writes can lock it without delaying the renewals. */
  readonly writer_seat: {
    readonly id: 1;
    readonly fence: number;
    /** Id of the server that has it. */
    readonly holder: string;
  };
  readonly writer_lease: {
    readonly id: 1;
    /** Until then nobody else may take the seat, by the database's clock. */
    readonly until_ms: number;
  };
}

export const makesSeatTables: MakesTables = ({ text, integer, end }) => [
  `create table writer_seat (id ${integer} primary key, fence ${integer} not null, holder ${text} not null) ${end}`,
  `create table writer_lease (id ${integer} primary key, until_ms ${integer} not null) ${end}`,
  `insert into writer_seat values (1, 0, '')`,
  'insert into writer_lease values (1, 0)',
];
