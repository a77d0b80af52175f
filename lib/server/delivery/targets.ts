import 'server-only';
import type { Transaction } from 'kysely';
import { NOTICE_KINDS } from '#lib/api/outputs/destination-kinds.ts';
import type { ANNOUNCED } from '#lib/api/outputs/destinations.ts';
import type { Role } from '#lib/api/people/permission.ts';
import { type PushChoices, pushChoicesSchema } from '#lib/api/people/push.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { WEEKDAYS } from '#lib/zones/zone.ts';
import { ZoneHours } from '#lib/zones/zone-hours.ts';
import type { Query, Tables } from '../database/tables.ts';
import type { Bearer } from '../sign-in/session.ts';
import { latestRevisions, type ZoneCaller } from '../zones/zone-rows.ts';
import { type AnyDestination, announcesOf } from './kinds.ts';
import type { NoticeLimits } from './notice-budget.ts';

/** A destination that is on and takes notices, or the browser of a person. */
export interface Target extends NoticeLimits {
  readonly id: string;
  /** Transitions that its admin chose. */
  readonly announces: ReadonlySet<(typeof ANNOUNCED)[number]>;
  /** Whether it receives the alarms of rules that do not name it, too. */
  readonly isToAll: boolean;
  /** Whether it receives alarms of this zone now. */
  takes(zoneId: string): boolean;
}

/** An end is no reason to look at a phone. */
const PUSHED: Target['announces'] = new Set(['opened', 'reopened']);

/** Further alarms of the hour are one notification at its end. */
const PUSHED_AN_HOUR = 60;

/** @returns the role of a person who may view; `undefined`: nothing more is sent. @param endsMs null: no end */
export type Standing = (bearer: Bearer, endsMs: number | null) => Role | undefined;

/**
 * A browser takes the alarms that its person sees and wants, and none in the quiet hours.
 * @param zoneIds of the alarms
 */
export async function activeTargets(
  query: Transaction<Tables>,
  zoneIds: ReadonlySet<string>,
  nowMs: number,
  standing: Standing,
): Promise<ReadonlyMap<string, Target>> {
  const targets = new Map<string, Target>();
  const rows = await query
    .selectFrom('destination')
    .select(['id', 'announces', 'all_alarms', 'group_s', 'notices_an_hour'])
    .where('is_on', '=', 1)
    .where('removed', '=', 0)
    .where('kind', 'in', NOTICE_KINDS)
    .execute();
  for (const row of rows)
    targets.set(row.id, {
      id: row.id,
      announces: new Set(announcesOf(row)),
      isToAll: row.all_alarms === 1,
      groupMs: row.group_s * SECOND_MS,
      noticesAnHour: row.notices_an_hour,
      takes: () => true,
    });
  // PostgreSQL takes no empty list.
  if (zoneIds.size === 0) return targets;
  const { active } = await subscriptions(query, standing);
  for (const { id, seenBy, ownZones, isQuiet } of active) {
    if (isQuiet(nowMs)) continue;
    let seen = latestRevisions(query, seenBy).select('zone_revision.zone_id');
    if (ownZones) seen = seen.where('zone_revision.owner', '=', seenBy.owner);
    const found = await seen.where('zone_revision.zone_id', 'in', [...zoneIds]).execute();
    const zones = new Set(found.map(({ zone_id }) => zone_id));
    const takes = (zoneId: string) => zones.has(zoneId);
    targets.set(id, { id, announces: PUSHED, isToAll: true, groupMs: 0, noticesAnHour: PUSHED_AN_HOUR, takes });
  }
  return targets;
}

export function pushChoicesOf({ choices }: Pick<Tables['push_subscription'], 'choices'>): PushChoices {
  return pushChoicesSchema.parse(JSON.parse(choices));
}

/** The browser of a person who may view now. */
interface Subscription extends AnyDestination {
  readonly ownZones: boolean;
  readonly seenBy: ZoneCaller & { readonly owner: string };
  readonly isQuiet: (atMs: number) => boolean;
}

/** Subscriptions of people who may view now, without those that have ended; and the ids of all that nothing may be sent to. */
async function subscriptions(query: Query, standing: Standing) {
  const rows = await query.selectFrom('push_subscription').selectAll().execute();
  const active: Subscription[] = [];
  const lost: string[] = [];
  for (const row of rows) {
    const { id, revision, owner, source, credential_digest: credentialDigest, browser, endpoint, p256dh, auth } = row;
    const person = row.person === null ? null : (JSON.parse(row.person) as NonNullable<Bearer['person']>);
    const role = standing({ operatorId: owner, source, credentialDigest, person }, row.ends_ms);
    if (role === undefined) {
      lost.push(id);
      continue;
    }
    if (auth === '') continue;
    const { positions, units, time_zone, own_zones, quiet } = pushChoicesOf(row);
    const hours = quiet && new ZoneHours({ time_zone, weekly: [{ days: [...WEEKDAYS], ...quiet }] });
    active.push({
      id,
      revision,
      name: `${browser} of ${person?.name ?? owner}`,
      config: { kind: 'push', endpoint, p256dh, auth, positions },
      secrets: [],
      units,
      timeZone: time_zone,
      ownZones: own_zones,
      seenBy: { owner, name: '', actor: '', isAdmin: role === 'admin' },
      isQuiet: (atMs) => hours?.isActive(atMs) ?? false,
    });
  }
  return { active, lost };
}

/** Subscriptions with a notice that is due, as the queue sends to them, and those that nothing may be sent to. */
export async function dueSubscriptions(
  query: Query,
  nowMs: number,
  standing: Standing,
): Promise<{ readonly due: readonly AnyDestination[]; readonly lost: readonly string[] }> {
  const { active, lost } = await subscriptions(query, standing);
  if (active.length === 0) return { due: [], lost };
  const waiting = await query
    .selectFrom('delivery')
    .innerJoin('push_subscription', 'push_subscription.id', 'delivery.destination_id')
    .select(['destination_id', 'type'])
    .distinct()
    .where('state', '=', 'waiting')
    .where('due_ms', '<=', nowMs)
    .execute();
  const due = active.filter(({ id, isQuiet }) =>
    waiting.some(({ destination_id, type }) => destination_id === id && (type === 'trial' || !isQuiet(nowMs))),
  );
  return { due, lost };
}
