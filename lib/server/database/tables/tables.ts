import 'server-only';
import type { Kysely, Transaction } from 'kysely';
import type { AllowanceTables } from './allowance-tables.ts';
import type { AuditTables } from './audit-tables.ts';
import type { DeliveryTables } from './delivery-tables.ts';
import type { HistoryTables } from './history-tables.ts';
import type { MoveTables } from './move-tables.ts';
import type { OverviewTables } from './overview-tables.ts';
import type { ReadAccessTables } from './read-access-tables.ts';
import type { ServerTables } from './server-tables.ts';
import type { SignInTables } from './sign-in-tables.ts';
import type { SpendingTables } from './spending-tables.ts';
import type { ViewTables } from './view-tables.ts';
import type { ZoneTables } from './zone-tables.ts';

/** Columns are text, integer (int8 in PostgreSQL) or bytes; instants are milliseconds since 1970. */
export type Tables = AllowanceTables &
  AuditTables &
  DeliveryTables &
  HistoryTables &
  MoveTables &
  OverviewTables &
  ReadAccessTables &
  ServerTables &
  SignInTables &
  SpendingTables &
  ViewTables &
  ZoneTables;

export type Query = Kysely<Tables> | Transaction<Tables>;
