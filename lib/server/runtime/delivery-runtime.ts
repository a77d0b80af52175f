import 'server-only';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { Deliveries } from '../delivery/deliveries.ts';
import { Delivery } from '../delivery/delivery.ts';
import { Destinations } from '../delivery/destinations.ts';
import { openGuard } from '../delivery/guard.ts';
import { Heartbeat } from '../delivery/heartbeat.ts';
import { openSender } from '../delivery/kinds.ts';
import { PushSubscriptions } from '../delivery/push-subscriptions.ts';
import { ReceiverNotices } from '../delivery/receiver-notices.ts';
import { vapidKeys } from '../delivery/senders/push.ts';
import type { Standing } from '../delivery/targets.ts';
import { ZoneStates } from '../delivery/zone-states.ts';
import type { AreaReads } from '../live/area-reads.ts';
import type { ReceiversReader } from '../upstream/receivers-reader.ts';
import type { ProcessBase } from './process-base.ts';
import type { UpstreamRuntime } from './upstream-runtime.ts';
import type { ZoneRuntime } from './zone-runtime.ts';

export interface DeliveryRuntime {
  readonly destinations: Destinations;
  readonly deliveries: Deliveries;
  readonly push: PushSubscriptions;
  close(): Promise<void>;
}

const LOOKOUT = { operator: null, address: null, requestId: null } as const;

export function deliveryRuntime(
  { config, database, log, supervisor }: Pick<ProcessBase, 'config' | 'database' | 'log' | 'supervisor'>,
  { clock, lease, failing }: Pick<UpstreamRuntime, 'clock' | 'lease' | 'failing'>,
  { current, watch, watched }: Pick<ZoneRuntime, 'current' | 'watch' | 'watched'>,
  audit: AuditLog,
  reads: AreaReads,
  receivers: ReceiversReader | undefined,
  standing: Standing,
): DeliveryRuntime {
  const now = () => clock.now();
  const { publicOrigin } = config;
  const guard = openGuard(config.outputPrivateAddresses);
  const zones = new ZoneStates({ database, current, watched, part: supervisor.part('zone_states') });
  const vapid = () => vapidKeys(database);
  const senders = { guard, zones, reads, log, now, publicOrigin, vapid };
  const auditEvent = (event: AuditEvent) => audit.record(LOOKOUT, event);
  const delivery = new Delivery({
    database,
    lease,
    now,
    log,
    publicOrigin,
    supervisor,
    random: Math.random,
    audit: auditEvent,
    standing,
    open: (destination) => openSender(destination, senders),
  });
  const heartbeat = new Heartbeat({
    database,
    lease,
    now,
    current,
    guard,
    log,
    part: supervisor.part('heartbeat'),
    evaluatedAt: () => watch.evaluatedAt,
    watched: () => watched.present(),
    audit: auditEvent,
  });
  const receiverNotices = new ReceiverNotices({
    database,
    lease,
    now,
    receivers,
    part: supervisor.part('delivery', 'receivers'),
    changed: () => delivery.pass(),
  });
  const changed = () => {
    delivery.pass();
    // It never rejects.
    void receiverNotices.pass();
  };
  return {
    destinations: new Destinations(database, now, changed, failing),
    deliveries: new Deliveries(database),
    push: new PushSubscriptions({ database, now, changed, listed: config.outputPrivateAddresses }),
    async close() {
      await receiverNotices.close();
      await heartbeat.close();
      await delivery.close();
      await guard.close();
    },
  };
}
