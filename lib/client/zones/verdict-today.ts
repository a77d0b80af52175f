import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { type AlarmKind, isSuspension } from '#lib/zones/alarm.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import type { ReplayStore } from '../replay/store/replay-store.ts';
import { evaluatedOn } from './try-rules.ts';

/** Positions of a replay are rounded to it. */
const SAME_MS = 1000;

export type VerdictToday =
  | { readonly kind: 'same' | 'none' | 'zone_removed' | 'rule_removed' }
  /** Raised, but otherwise. */
  | { readonly kind: 'other'; readonly at: UpstreamInstant; readonly as: AlarmKind };

/** With the zone as it is now. @returns `undefined` if the past lacks the alarm's opening */
export function verdictToday(alarm: Alarm, zones: readonly Zone[], store: ReplayStore): VerdictToday | undefined {
  const opened = parseInstant(alarm.opened_at);
  // A replay has not the tracks of all zones.
  if (isSuspension(alarm.kind)) return undefined;
  if (opened === undefined || opened < store.window.start || opened > store.window.end) return undefined;
  const zone = zones.find(({ id }) => id === alarm.zone.id);
  if (!zone) return { kind: 'zone_removed' };
  const rule = zone.rules.find(({ id }) => id === alarm.rule.id);
  if (!rule) return { kind: 'rule_removed' };
  const { transitions } = evaluatedOn(store, { ...zone, rules: [{ ...rule, id: alarm.rule.id }] });
  const offMs = ({ at }: Transition) => Math.abs(msBetween(opened, at));
  const [nearest] = transitions
    .filter((each) => each.type === 'opened' && isAbout(each, alarm))
    .sort((a, b) => offMs(a) - offMs(b));
  if (!nearest) return { kind: 'none' };
  if (offMs(nearest) <= SAME_MS && nearest.kind === alarm.kind) return { kind: 'same' };
  return { kind: 'other', at: nearest.at, as: nearest.kind };
}

function isAbout({ layer, ref, other }: Transition, alarm: Alarm): boolean {
  const track = alarm.track ?? undefined;
  if (layer === alarm.layer && ref === track) return true;
  // A pair has no first track.
  return other !== undefined && other.ref === track && ref === alarm.other?.ref;
}
