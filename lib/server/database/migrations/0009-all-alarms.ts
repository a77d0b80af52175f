import 'server-only';
import type { Migration } from './migration.ts';

/** A destination that receives the alarms of every zone, whether a rule names it or not. */
export const allAlarms: Migration = {
  name: '0009-all-alarms',
  statements: ({ integer }) => [`alter table destination add column all_alarms ${integer} not null default 0`],
};
