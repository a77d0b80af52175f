import 'server-only';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makesAllowanceTables } from './allowance-tables.ts';
import { makesAuditTables } from './audit-tables.ts';
import { makesDeliveryTables, makesLaterNotices } from './delivery-tables.ts';
import { addsReceptionOfParts, makesHistoryTables } from './history-tables.ts';
import { makesMoveTables } from './move-tables.ts';
import { makesOverviewTables } from './overview-tables.ts';
import { makesReadAccessTables } from './read-access-tables.ts';
import { makesServerAsks, makesServerTables } from './server-tables.ts';
import { makesSignInTables } from './sign-in-tables.ts';
import { makesSpendingTables } from './spending-tables.ts';
import { type DialectName, type MakesTables, TABLE_FORMS } from './table-form.ts';
import { makesViewTables } from './view-tables.ts';
import {
  makesAlarmNotes,
  makesPlacesInLog,
  makesZoneBodies,
  makesZoneTables,
  splitZoneContents,
} from './zone-tables.ts';

const OWNERS: readonly MakesTables[] = [
  makesAllowanceTables,
  makesAuditTables,
  makesDeliveryTables,
  makesHistoryTables,
  makesOverviewTables,
  makesReadAccessTables,
  makesServerTables,
  makesSignInTables,
  makesSpendingTables,
  makesViewTables,
  makesZoneTables,
];

/** Migrations run in the order of names, and never change after a release. */
export function migrations(dialect: DialectName): Readonly<Record<string, Migration>> {
  const made = (owners: readonly MakesTables[]): Migration => ({
    async up(db: Kysely<unknown>) {
      for (const makes of owners)
        for (const statement of makes(TABLE_FORMS[dialect])) await sql.raw(statement).execute(db);
    },
  });
  return {
    '0001-tables': made(OWNERS),
    '0002-later-notices': made([makesLaterNotices]),
    '0003-reception-of-parts': made([addsReceptionOfParts]),
    '0004-log-places': made([makesPlacesInLog]),
    '0005-asks-and-notes': {
      async up(db: Kysely<unknown>) {
        await made([makesServerAsks, makesAlarmNotes, makesZoneBodies]).up(db);
        await splitZoneContents(db);
      },
    },
    '0006-moves': made([makesMoveTables]),
  };
}
