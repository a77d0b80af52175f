import 'server-only';
import type { Migration } from './migration.ts';

/** The log is read in order of opening and id, of all zones or one. */
export const logPlaces: Migration = {
  name: '0004-log-places',
  statements: () => [
    `drop index alarm_opened`,
    `drop index alarm_zone`,
    `create index alarm_opened on alarm (opened_ms, id)`,
    `create index alarm_zone on alarm (zone_id, opened_ms, id)`,
  ],
};
