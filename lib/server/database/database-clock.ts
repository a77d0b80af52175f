import 'server-only';
import { sql } from 'kysely';

/** The time of the database's clock, in milliseconds since 1970. */
export const DATABASE_NOW_MS = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
