import 'server-only';
import { type Selectable, sql } from 'kysely';
import * as z from 'zod/mini';
import {
  ANNOUNCED,
  type Destination,
  type DestinationConfig,
  destinationConfigSchema,
} from '#lib/api/outputs/destinations.ts';
import { UNIT_SYSTEMS, type UnitSystem } from '#lib/model/units.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Query, Tables } from '../../database/tables/tables.ts';

export type DestinationRow = Selectable<Tables['destination']>;

/** For senders. */
export interface StoredDestination {
  readonly id: string;
  readonly revision: number;
  readonly name: string;
  readonly config: DestinationConfig;
  /** The newest first. */
  readonly secrets: readonly string[];
  readonly units: UnitSystem;
  readonly timeZone: string;
}

const secretsSchema = z.array(z.string());
const announcesSchema = z.array(z.enum(ANNOUNCED));
const unitsSchema = z.enum(UNIT_SYSTEMS);

export function secretsOf({ secrets }: Pick<DestinationRow, 'secrets'>): readonly string[] {
  return secretsSchema.parse(JSON.parse(secrets));
}

/** Those that are on. */
export async function activeDestinations(query: Query): Promise<readonly StoredDestination[]> {
  const rows = await query
    .selectFrom('destination')
    .selectAll()
    .where('is_on', '=', 1)
    .where('removed', '=', 0)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    revision: row.revision,
    name: row.name,
    secrets: secretsOf(row),
    config: destinationConfigSchema.parse(JSON.parse(row.config)),
    units: unitsSchema.parse(row.units),
    timeZone: row.time_zone,
  }));
}

/** With health and the numbers of notices that wait or were given up. */
export function destinationRows(query: Query) {
  return query
    .selectFrom('destination')
    .leftJoin('destination_health', 'destination_health.destination_id', 'destination.id')
    .where('destination.removed', '=', 0)
    .selectAll('destination')
    .select(['problem_since_ms', 'problem', 'next_try_ms', 'last_arrived_ms'])
    .select((each) =>
      (['waiting', 'given_up'] as const).map((state) =>
        each
          .selectFrom('delivery')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('delivery.destination_id', '=', 'destination.id')
          .where('delivery.state', '=', sql.lit(state))
          .as(state),
      ),
    )
    .select((each) =>
      each
        .selectFrom('delivery')
        .select(({ fn }) => fn.min<number>('delivery.due_ms').as('due_ms'))
        .whereRef('delivery.destination_id', '=', 'destination.id')
        .where('delivery.state', '=', sql.lit('waiting'))
        .as('waiting_since_ms'),
    );
}

type ShownRow = Awaited<ReturnType<ReturnType<typeof destinationRows>['execute']>>[number];

export function toDestination(row: ShownRow): Destination {
  const { switched_off_ms, problem_since_ms } = row;
  return {
    id: row.id,
    revision: row.revision,
    name: row.name,
    is_on: row.is_on === 1,
    config: destinationConfigSchema.parse(JSON.parse(row.config)),
    units: unitsSchema.parse(row.units),
    time_zone: row.time_zone,
    announces: announcesSchema.parse(JSON.parse(row.announces)),
    group_s: row.group_s,
    notices_an_hour: row.notices_an_hour,
    secrets: secretsOf(row).length,
    switched_off:
      switched_off_ms === null ? null : { at: text(switched_off_ms), reason: row.switched_off_reason ?? '' },
    problem: problem_since_ms === null ? null : { since: text(problem_since_ms), text: row.problem ?? '' },
    last_arrived_at: textOrNull(row.last_arrived_ms),
    next_try_at: textOrNull(row.next_try_ms),
    waiting: Number(row.waiting ?? 0),
    waiting_since: textOrNull(row.waiting_since_ms),
    given_up: Number(row.given_up ?? 0),
  };
}

export function text(ms: number): string {
  return formatInstant(upstreamInstant(ms));
}

export function textOrNull(ms: number | null): string | null {
  return ms === null ? null : text(ms);
}
