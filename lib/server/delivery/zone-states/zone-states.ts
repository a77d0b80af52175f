import 'server-only';
import type { AnnouncedZone } from '#lib/outputs/mqtt-messages.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import type { Part } from '../../supervision/supervisor.ts';
import { onAlarmsTold } from '../../zones/alarms/alarm-changes.ts';
import type { CurrentZone, CurrentZones } from '../../zones/current-zones.ts';
import type { WatchedLedger } from '../../zones/watch/watched-ledger.ts';
import { lastAlarms, openAlarms } from './open-alarms.ts';

/** Whether a zone is watched changes without a notice. */
const LOOKS_EVERY_MS = 5 * SECOND_MS;

export interface DestinationZones {
  /** Zones with a rule that names the destination; none if it is switched off. @throws ApiError, DatabaseFailure */
  read(): Promise<readonly AnnouncedZone[]>;
  /** Also without a change. @returns unsubscribe */
  onChange(changed: () => void): () => void;
}

export interface ZoneStatesOptions {
  readonly database: Database;
  readonly current: Pick<CurrentZones, 'all' | 'onChange'>;
  readonly watched: Pick<WatchedLedger, 'present'>;
  readonly part: Part;
}

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
    const zones = current.all.filter((zone) => names(zone, destinationId));
    if (zones.length === 0) return [];
    const active = await query
      .selectFrom('destination')
      .select('id')
      .where('id', '=', destinationId)
      .where('is_on', '=', 1)
      .where('removed', '=', 0)
      .executeTakeFirst();
    if (!active) return [];
    const ids = zones.map(({ id }) => id);
    const [open, last, present] = [await openAlarms(query, ids), await lastAlarms(query, ids), await watched.present()];
    return zones.map(({ id, name, rules }) => ({
      id,
      name,
      hasEntryRule: rules.some(({ kind }) => kind === 'entered'),
      watched: present.get(id)?.state ?? null,
      reason: present.get(id)?.reason ?? null,
      open: open.get(id) ?? [],
      last: last.get(id) ?? null,
    }));
  }

  #onChange(changed: () => void): () => void {
    const { database, current } = this.#options;
    const timer = setInterval(changed, LOOKS_EVERY_MS).unref();
    const ends = [onAlarmsTold(database, changed), current.onChange(changed)];
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
