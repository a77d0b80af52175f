import 'server-only';
import { alarmSchema } from '#lib/api/watching/alarms.ts';
import type { AnnouncedZone, OpenAlarms } from '#lib/outputs/mqtt-messages.ts';
import { isoTime } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { kindOf } from '#lib/zones/rule-kinds.ts';
import type { Database } from '../database/database.ts';
import type { Query } from '../database/tables.ts';
import type { Part } from '../supervision/supervisor.ts';
import { onAlarmsChanged } from '../zones/alarms/alarm-row.ts';
import type { CurrentZone, CurrentZones } from '../zones/current-zones.ts';
import type { WatchedLedger } from '../zones/watch/watched-ledger.ts';

/** Whether a zone is watched changes without a notice. */
const CHECKED_EVERY_MS = 5 * SECOND_MS;

export interface DestinationZones {
  /** The zones with a rule that names the destination, or all, as it is set; none if it is switched off. @throws ApiError, DatabaseFailure */
  read(): Promise<readonly AnnouncedZone[]>;
  /** `changed` is also called without a change. @returns unsubscribe */
  onChange(changed: () => void): () => void;
}

export interface ZoneStatesOptions {
  readonly database: Database;
  readonly current: Pick<CurrentZones, 'all' | 'onChange'>;
  readonly watched: Pick<WatchedLedger, 'present'>;
  readonly part: Part;
}

/** The states of zones, for destinations that show them. It reads the database, and writes nothing. */
export class ZoneStates {
  readonly #options: ZoneStatesOptions;

  constructor(options: ZoneStatesOptions) {
    this.#options = options;
  }

  readonly of = (destinationId: string): DestinationZones => ({
    read: () => this.#supervised(destinationId),
    onChange: (changed) => this.#onChange(changed),
  });

  async #supervised(destinationId: string): Promise<readonly AnnouncedZone[]> {
    const { part } = this.#options;
    try {
      const zones = await this.#read(destinationId);
      part.worked();
      return zones;
    } catch (error) {
      part.failed(error);
      throw error;
    }
  }

  async #read(destinationId: string): Promise<readonly AnnouncedZone[]> {
    const { database, current, watched } = this.#options;
    const { query } = database;
    const active = await query
      .selectFrom('destination')
      .select('all_alarms')
      .where('id', '=', destinationId)
      .where('is_on', '=', 1)
      .where('removed', '=', 0)
      .executeTakeFirst();
    if (!active) return [];
    const zones = active.all_alarms === 1 ? current.all : current.all.filter((zone) => names(zone, destinationId));
    if (zones.length === 0) return [];
    const ids = zones.map(({ id }) => id);
    const [open, last, present] = [await openAlarms(query, ids), await lastAlarms(query, ids), await watched.present()];
    return zones.map(({ id, name, rules }) => ({
      id,
      name,
      hasEntryRule: rules.some((rule) => kindOf(rule).entries !== undefined),
      watched: present.get(id)?.state ?? null,
      reason: present.get(id)?.reason ?? null,
      open: open.get(id) ?? [],
      last: last.get(id) ?? null,
    }));
  }

  #onChange(changed: () => void): () => void {
    const { database, current } = this.#options;
    const timer = setInterval(changed, CHECKED_EVERY_MS).unref();
    const ends = [onAlarmsChanged(database, changed), current.onChange(changed)];
    return () => {
      clearInterval(timer);
      for (const end of ends) end();
    };
  }
}

function names({ rules }: CurrentZone, destinationId: string): boolean {
  return rules.some(
    ({ notify, escalate }) => notify.includes(destinationId) || escalate?.destination === destinationId,
  );
}

const { kind: kindSchema, layer: layerSchema, state: stateSchema, ended: endedSchema } = alarmSchema.shape;

/** The numbers of open alarms, by zone. */
async function openAlarms(
  query: Query,
  zoneIds: readonly string[],
): Promise<ReadonlyMap<string, readonly OpenAlarms[]>> {
  const rows = await query
    .selectFrom('alarm')
    .select(['zone_id', 'kind', 'simulated', 'test', 'expected'])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('zone_id', 'in', zoneIds)
    .where('state', '<>', 'ended')
    .groupBy(['zone_id', 'kind', 'simulated', 'test', 'expected'])
    .execute();
  return new Map(
    [...Map.groupBy(rows, ({ zone_id }) => zone_id)].map(([id, its]) => [
      id,
      its.map(({ kind, simulated, test, expected, count }) => ({
        kind: kindSchema.parse(kind),
        count: Number(count),
        simulated: simulated === 1,
        test: test === 1,
        expected: expected === 1,
      })),
    ]),
  );
}

/** The alarm of each zone that opened last, among those that no permit covers. */
async function lastAlarms(
  query: Query,
  zoneIds: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<AnnouncedZone['last']>>> {
  const rows = await query
    .selectFrom('alarm')
    .select(['id', 'zone_id', 'kind', 'layer', 'ref', 'opened_ms', 'state', 'ended', 'simulated', 'test'])
    .where('expected', '=', 0)
    .where((where) =>
      where.or(
        zoneIds.map((id) =>
          where(
            'alarm.id',
            '=',
            where
              .selectFrom('alarm as other')
              .select('other.id')
              .where('other.zone_id', '=', id)
              .where('other.expected', '=', 0)
              .orderBy('other.opened_ms', 'desc')
              .orderBy('other.id')
              .limit(1),
          ),
        ),
      ),
    )
    .execute();
  return new Map(
    rows.map(({ zone_id, id, kind, layer, ref, opened_ms, state, ended, simulated, test }) => [
      zone_id,
      {
        id,
        kind: kindSchema.parse(kind),
        layer: layerSchema.parse(layer),
        track: ref,
        opened_at: isoTime(opened_ms),
        state: stateSchema.parse(state),
        ended: endedSchema.parse(ended),
        simulated: simulated === 1,
        test: test === 1,
      },
    ]),
  );
}
