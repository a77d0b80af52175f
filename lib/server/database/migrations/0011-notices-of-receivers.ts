import 'server-only';
import type { Migration } from './migration.ts';

/** Whether a destination receives changes of own receivers, and what such a notice, which has no alarm, is about. */
export const noticesOfReceivers: Migration = {
  name: '0011-notices-of-receivers',
  statements: ({ text, integer }) => [
    `alter table destination add column own_receivers ${integer} not null default 0`,
    `alter table delivery add column about ${text}`,
  ],
};
