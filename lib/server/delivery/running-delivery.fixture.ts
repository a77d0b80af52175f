import { newDestinationSchema } from '#lib/api/outputs/destinations.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import type { Role } from '#lib/api/people/permission.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { addMs } from '#lib/time/instant.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import type { Database } from '../database/database.ts';
import { ONLY_SERVER, type WriterLease } from '../database/writer-lease.ts';
import { AreaReads } from '../live/area-reads.ts';
import { patientSupervisor, strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { AlarmStore } from '../zones/alarms/alarm-store.ts';
import { Alarms } from '../zones/alarms/alarms.ts';
import { OPENED_AT, transition } from '../zones/alarms/transition.fixture.ts';
import { CurrentZones } from '../zones/current-zones.ts';
import { newZone } from '../zones/new-zone.fixture.ts';
import { WatchedLedger } from '../zones/watch/watched-ledger.ts';
import { Zones } from '../zones/zones.ts';
import { Deliveries } from './deliveries.ts';
import { Delivery, type DeliveryOptions } from './delivery.ts';
import { Destinations } from './destinations.ts';
import { type Guard, openGuard } from './guard.ts';
import { openSender } from './kinds.ts';
import { PushSubscriptions } from './push-subscriptions.ts';
import { vapidKeys } from './senders/push.ts';
import { ZoneStates } from './zone-states.ts';

export const al = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };

const log = {
  warn() {},
  error(details: object) {
    throw new Error('the delivery failed', { cause: details });
  },
};

/** Delivery over a database, at a time that the test sets. */
export class RunningDelivery {
  now = addMs(OPENED_AT, 2000);
  readonly audited: AuditEvent[] = [];
  readonly zones: Zones;
  readonly alarms: Alarms;
  readonly destinations: Destinations;
  readonly deliveries: Deliveries;
  readonly push: PushSubscriptions;
  /** The roles of people with push. */
  readonly roles = new Map<string, Role>();
  readonly #store: AlarmStore;
  readonly #delivery: Delivery;
  readonly #guard: Guard;
  readonly #current: CurrentZones;
  readonly #lease: WriterLease;

  constructor(
    database: Database,
    lease: WriterLease = ONLY_SERVER,
    changed: Partial<DeliveryOptions> = {},
    supervisor = strictSupervisor(),
  ) {
    const failing = () => supervisor.failing.map((failure) => ({ ...failure, since: this.now }));
    const now = () => this.now;
    this.#lease = lease;
    this.#store = new AlarmStore(database);
    this.#guard = openGuard(['loopback']);
    this.zones = new Zones(database, now);
    this.alarms = new Alarms(database, now);
    this.destinations = new Destinations(database, now, () => undefined, failing);
    this.deliveries = new Deliveries(database);
    // Tests of crashes leave it open over a closed database.
    const current = new CurrentZones(this.zones, patientSupervisor().part('zones'));
    this.#current = current;
    const watched = new WatchedLedger(database, current, now, failing);
    const zones = new ZoneStates({ database, current, watched, part: supervisor.part('zone_states') });
    const publicOrigin = 'https://lookout.example';
    const vapid = () => vapidKeys(database);
    const senders = { guard: this.#guard, zones, reads: new AreaReads(), log, now, publicOrigin, vapid };
    this.push = new PushSubscriptions({ database, now, changed: () => undefined, listed: ['loopback'] });
    this.#delivery = new Delivery({
      database,
      lease,
      now,
      log,
      supervisor,
      random: () => 1,
      publicOrigin,
      audit: (event) => this.audited.push(event),
      standing: ({ operatorId, credentialDigest }) =>
        credentialDigest === '' ? undefined : this.roles.get(operatorId),
      open: (destination) => openSender(destination, senders),
      ...changed,
    });
  }

  addWebhook(url: string, change: object = {}): Promise<{ readonly id: string; readonly secret: string }> {
    return this.add({ kind: 'webhook', url }, { name: `Hook ${url}`, ...change });
  }

  async add(config: object, change: object = {}): Promise<{ readonly id: string; readonly secret: string }> {
    const announces = ['opened', 'reopened', 'unknown', 'known', 'ended'];
    const body = newDestinationSchema.parse({
      name: JSON.stringify(config).slice(0, 80),
      config,
      announces,
      ...change,
    });
    const { destination, secret } = await this.destinations.add(body);
    return { id: destination.id, secret: secret ?? '' };
  }

  /** @returns its id, and a transition in it */
  async addZone(rule: object, name = 'Runway 14') {
    const rules = [{ ...newZone().rules[0]!, ...rule }];
    const zone = await this.zones.add(al, newZone({ name, rules }));
    const ruleId = zone.rules[0]?.id ?? '';
    const of = (change: Partial<Transition> = {}) => transition(zone.id, { rule: ruleId, ...change });
    return { id: zone.id, zone, of };
  }

  changeRule(zone: Zone, rule: object): Promise<Zone> {
    const { revision, name, shared, shape, landmark, vertical, hours, source, history_requests_a_day } = zone;
    const content = { shape, landmark, vertical, hours, source, history_requests_a_day };
    const rules = [{ ...zone.rules[0]!, ...rule }];
    return this.zones.change(al, zone.id, { revision, name, shared, ...content, rules });
  }

  /** Commits the transitions in one transaction. */
  async commit(...transitions: readonly Transition[]): Promise<void> {
    const { fence = 0 } = this.#lease;
    await this.#store.commit({ rows: [], transitions, stretches: [], madeUp: [], at: this.now }, fence);
  }

  async pass(afterMs = 0): Promise<void> {
    this.now = addMs(this.now, afterMs);
    this.#delivery.pass();
    await this.#delivery.idle();
  }

  async close(): Promise<void> {
    this.alarms.close();
    await this.#delivery.close();
    await this.#guard.close();
    await this.#current.close();
  }
}

/** Opened alarms of references 0 to `count`. */
export function opened(of: (change: Partial<Transition>) => Transition, count: number, from = 0): Transition[] {
  return Array.from({ length: count }, (_, index) =>
    of({ key: `${from + index}`, ref: `${from + index}`, at: OPENED_AT }),
  );
}
