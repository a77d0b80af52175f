import 'server-only';
import type { Migration } from './migration.ts';

export const moves: Migration = {
  name: '0006-moves',
  statements: ({ text, integer, end }) => [
    `create table move (
    id ${integer} primary key,
    move ${text} not null,
    state ${text} not null,
    other ${text} not null,
    at_ms ${integer} not null
  ) ${end}`,
  ],
};
