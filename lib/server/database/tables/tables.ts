import 'server-only';
import type { Kysely, Transaction } from 'kysely';
import type { AllowanceTables } from './allowance-tables.ts';
import type { AuditTables } from './audit-tables.ts';
import type { HistoryTables } from './history-tables.ts';
import type { ServerTables } from './server-tables.ts';
import type { SignInTables } from './sign-in-tables.ts';
import type { SpendingTables } from './spending-tables.ts';
import type { ViewTables } from './view-tables.ts';
import type { ZoneTables } from './zone-tables.ts';

/**
 * All tables. Columns have three kinds that both dialects share: text, integer (int8 in PostgreSQL) and bytes. A truth is 0 or 1, an instant
 * milliseconds since 1970.
 */
export type Tables = AllowanceTables &
  AuditTables &
  HistoryTables &
  ServerTables &
  SignInTables &
  SpendingTables &
  ViewTables &
  ZoneTables;

/** A database or a transaction, for statements that run in either. */
export type Query = Kysely<Tables> | Transaction<Tables>;
