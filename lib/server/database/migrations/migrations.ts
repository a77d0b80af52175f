import 'server-only';
import { tables } from './0001-tables.ts';
import { laterNotices } from './0002-later-notices.ts';
import { receptionOfParts } from './0003-reception-of-parts.ts';
import { logPlaces } from './0004-log-places.ts';
import { asksAndNotes } from './0005-asks-and-notes.ts';
import { moves } from './0006-moves.ts';
import { sharedZones } from './0007-shared-zones.ts';
import { permits } from './0008-permits.ts';
import { allAlarms } from './0009-all-alarms.ts';
import { incidents } from './0010-incidents.ts';
import { noticesOfReceivers } from './0011-notices-of-receivers.ts';
import { tokenPermissions } from './0012-token-permissions.ts';
import { expectedFlights } from './0013-expected-flights.ts';
import { pushSubscriptions } from './0014-push-subscriptions.ts';
import type { Migration } from './migration.ts';

/** Every step of the schema. A new one comes last, and none is ever changed or removed. */
export const MIGRATIONS: readonly Migration[] = [
  tables,
  laterNotices,
  receptionOfParts,
  logPlaces,
  asksAndNotes,
  moves,
  sharedZones,
  permits,
  allAlarms,
  incidents,
  noticesOfReceivers,
  tokenPermissions,
  expectedFlights,
  pushSubscriptions,
];
