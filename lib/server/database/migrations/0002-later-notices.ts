import 'server-only';
import type { Migration } from './migration.ts';

/** Replaces `escalation`, and keeps what is due. */
export const laterNotices: Migration = {
  name: '0002-later-notices',
  statements: ({ text, integer, end }) => [
    `create table later_notice (
    alarm_id ${text} not null,
    destination_id ${text} not null,
    type ${text} not null,
    due_ms ${integer} not null,
    primary key (alarm_id, destination_id, type)
  ) ${end}`,
    `create index later_notice_due on later_notice (due_ms)`,
    `insert into later_notice (alarm_id, destination_id, type, due_ms)
    select alarm_id, destination_id, 'escalated', due_ms from escalation`,
    `drop table escalation`,
  ],
};
