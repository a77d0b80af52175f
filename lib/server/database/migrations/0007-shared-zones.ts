import 'server-only';
import type { Migration } from './migration.ts';

/** Zones that were made without sign-in have no operator who could share them: all operators see them. */
export const sharedZones: Migration = {
  name: '0007-shared-zones',
  statements: ({ text, integer, end }) => [
    `update zone_revision set shared = 1 where owner = ''`,
    `create table hand_over_note (
    id ${text} primary key,
    note ${text} not null,
    author ${text} not null,
    author_name ${text} not null,
    at_ms ${integer} not null
  ) ${end}`,
    `create table hand_over_read (
    note_id ${text} not null,
    owner ${text} not null,
    name ${text} not null,
    at_ms ${integer} not null,
    primary key (note_id, owner)
  ) ${end}`,
  ],
};
