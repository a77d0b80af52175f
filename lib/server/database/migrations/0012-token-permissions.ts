import 'server-only';
import type { Migration } from './migration.ts';

/** Tokens with permissions: a rate, requests for the past in a day, and the view of a wall. Stored ones keep their rate. */
export const tokenPermissions: Migration = {
  name: '0012-token-permissions',
  statements: ({ text, integer }) => [
    `alter table read_token add column requests_a_minute ${integer} not null default 120`,
    `alter table read_token add column history_a_day ${integer} not null default 0`,
    `alter table read_token add column history_day ${text} not null default ''`,
    `alter table read_token add column history_spent ${integer} not null default 0`,
    `alter table read_token add column view_id ${text}`,
  ],
};
