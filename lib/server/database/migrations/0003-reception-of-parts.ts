import 'server-only';
import type { Migration } from './migration.ts';

/** Older parts have another version, so they are read again. */
export const receptionOfParts: Migration = {
  name: '0003-reception-of-parts',
  statements: ({ text }) => [`alter table part add column reception ${text}`],
};
