import 'server-only';
import type { MakesTables } from './table-form.ts';

export interface AuditTables {
  readonly audit_event: {
    /** Sorts by time: milliseconds, a number, and the writing process. */
    readonly id: string;
    readonly at_ms: number;
    readonly last_ms: number;
    readonly times: number;
    readonly kind: string;
    /** The kind of counted events. */
    readonly of_kind: string | null;
    readonly operator: string | null;
    readonly name: string | null;
    /** The affected operator's id. */
    readonly person: string | null;
    readonly address: string | null;
    readonly request_id: string | null;
    readonly details: string;
  };
}

export const makesAuditTables: MakesTables = ({ text, integer, end }) => [
  `create table audit_event (
    id ${text} primary key,
    at_ms ${integer} not null,
    last_ms ${integer} not null,
    times ${integer} not null,
    kind ${text} not null,
    of_kind ${text},
    operator ${text},
    name ${text},
    person ${text},
    address ${text},
    request_id ${text},
    details ${text} not null
  ) ${end}`,
  'create index audit_event_time on audit_event (last_ms)',
  'create index audit_event_operator on audit_event (operator, kind)',
];
