import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { LAYER_OF_KIND, LAYERS, makePosition } from '#lib/model/position.ts';
import { RECORD_FIELDS } from '#lib/model/record-fields.ts';
import { addMs, epochMs, msBetween, parseInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { type AlarmKind, isOfRule, isSuspension } from '#lib/zones/alarm.ts';
import { evaluate } from '#lib/zones/evaluate.ts';
import { compileZones } from '#lib/zones/evaluation/compile-zones.ts';
import type { Observation, Transition, WatchedZone } from '#lib/zones/evaluation/transition.ts';
import { emptyZoneState } from '#lib/zones/evaluation/zone-state.ts';
import type { PermitTerms } from '#lib/zones/permit.ts';
import { reachM } from '#lib/zones/rule-kinds.ts';
import { shapeBox } from '#lib/zones/shape-box.ts';
import type { ReplayStore } from '../replay/store/replay-store.ts';
import { type ZoneDraft, zoneOf } from './zone-draft.ts';

/** Tracks around the zone are counted, even where no rule reaches so far. */
const AROUND_M = 55_000;

interface TriedAlarm {
  readonly key: string;
  readonly kind: AlarmKind;
  readonly ref: string | undefined;
  readonly at: UpstreamInstant;
  readonly end: UpstreamInstant | undefined;
  readonly heightUnknown: boolean;
  readonly expected: boolean;
}

export interface TrialResult {
  /** Alarms in the order of time. */
  readonly alarms: readonly TriedAlarm[];
  readonly window: Window;
  /** How many positions near the zone were evaluated. */
  readonly positions: number;
  /** Whether a rule would be suspended: it raises more alarms than Lookout lists. */
  readonly isSuspended: boolean;
  /** The hour, UTC, in which most opened; `undefined` without any. */
  readonly busiest: { readonly start: UpstreamInstant; readonly alarms: number } | undefined;
}

/**
 * Evaluates the rules of a draft over the loaded past, in the way of the server.
 * @param window counts from its start; the store begins earlier, so that a way in is known
 * @param permits default: none
 */
export function tryRules(
  draft: ZoneDraft,
  store: ReplayStore,
  window: Window,
  permits: readonly PermitTerms[] = [],
): TrialResult {
  const zone = zoneOf(draft);
  if (!zone) return { alarms: [], window, positions: 0, isSuspended: false, busiest: undefined };
  const rules = zone.rules.map((rule, index) => ({ ...rule, id: `rule ${index}` }));
  const { shape, vertical, hours } = zone;
  const watched = { id: 'tried', revision: 1, shape, vertical, hours, rules, permits };
  const { transitions, observations } = evaluatedOn(store, watched);
  const alarms = new Map<string, TriedAlarm>();
  for (const { type, key, kind, ref, at, heightUnknown, expected } of transitions) {
    const known = alarms.get(key);
    if (type === 'opened') alarms.set(key, { key, kind, ref, at, end: undefined, heightUnknown, expected });
    else if (known) alarms.set(key, { ...known, end: type === 'ended' ? at : undefined });
  }
  const all = [...alarms.values()].filter(({ at }) => at >= window.start);
  const listed = all.filter(({ kind }) => !isSuspension(kind));
  return {
    alarms: listed,
    window,
    isSuspended: listed.length < all.length,
    busiest: busiestHour(listed),
    positions: observations.filter(({ position }) => position.observedAt >= window.start).length,
  };
}

function busiestHour(alarms: readonly TriedAlarm[]): TrialResult['busiest'] {
  const hours = new Map<number, number>();
  for (const { at } of alarms) {
    const startMs = Math.floor(epochMs(at) / HOUR_MS) * HOUR_MS;
    hours.set(startMs, (hours.get(startMs) ?? 0) + 1);
  }
  let busiest: TrialResult['busiest'];
  for (const [startMs, count] of hours)
    if (count > (busiest?.alarms ?? 0)) busiest = { start: upstreamInstant(startMs), alarms: count };
  return busiest;
}

/** Alarms closer in time are the same one, since a replay's positions are rounded to seconds. */
const SAME_MS = 1000;

export type VerdictToday =
  | { readonly kind: 'same' | 'none' | 'zone_removed' | 'rule_removed' }
  /** The alarm would be raised at another time, or as another kind. */
  | { readonly kind: 'other'; readonly at: UpstreamInstant; readonly as: AlarmKind };

/** How an alarm would be decided today, with the zone as it is now. @returns `undefined` if the past lacks the alarm's opening */
export function verdictToday(alarm: Alarm, zones: readonly Zone[], store: ReplayStore): VerdictToday | undefined {
  const opened = parseInstant(alarm.opened_at);
  // A replay lacks the tracks that other zones of a suspended rule had.
  if (!isOfRule(alarm.kind)) return undefined;
  if (opened === undefined || opened < store.window.start || opened > store.window.end) return undefined;
  const zone = zones.find(({ id }) => id === alarm.zone.id);
  if (!zone) return { kind: 'zone_removed' };
  const rule = zone.rules.find(({ id }) => id === alarm.rule.id);
  if (!rule) return { kind: 'rule_removed' };
  const { transitions } = evaluatedOn(store, { ...zone, permits: [], rules: [{ ...rule, id: alarm.rule.id }] });
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
  // The two tracks of a pair have no order.
  return other !== undefined && other.ref === track && ref === alarm.other?.ref;
}

/** Evaluates a zone on the loaded past, which counts as watched throughout. */
function evaluatedOn(store: ReplayStore, zone: WatchedZone) {
  const reaches = zone.rules.flatMap((rule) => rule.layers.map((layer) => reachM(rule, layer)));
  const aroundM = Math.max(AROUND_M, ...reaches);
  const observations = observationsNear(store, shapeBox(zone.shape, aroundM));
  const watched = LAYERS.map((layer) => {
    const stretch = { from: store.window.start, to: store.window.end, state: 'watched' as const, reason: null };
    return { zoneId: zone.id, layer, ...stretch };
  });
  const { transitions } = evaluate(compileZones([zone]), emptyZoneState(), observations, watched);
  return { transitions, observations };
}

function observationsNear(store: ReplayStore, bbox: Bbox): Observation[] {
  const { rows, labelSets, window } = store;
  const { read } = rows;
  const isNear = (row: number) => bboxContains(bbox, read.lon(row), read.lat(row));
  const found: Observation[] = [];
  for (let track = 0; track < store.trackCount; track++) {
    const series = store.seriesOf(track);
    const indexes = Array.from({ length: series.count }, (_, index) => index);
    if (!indexes.some((index) => isNear(series.row(index)))) continue;
    const kind = store.kindOf(track);
    const ref = store.refOf(track);
    for (const index of indexes) {
      const row = series.row(index);
      const { style, label } = labelSets.at(rows.labelSet(row));
      const position = makePosition(
        {
          ref,
          kind,
          lon: read.lon(row),
          lat: read.lat(row),
          staleAfter: undefined,
          observedAt: addMs(window.start, series.timeMs(index)),
        },
        {
          measure: (name) => (Number.isNaN(read[name](row)) ? undefined : read[name](row)),
          label,
          flag: (name) => (style & RECORD_FIELDS[name].bit) !== 0,
        },
      );
      found.push({ layer: LAYER_OF_KIND[kind], position });
    }
  }
  return found;
}
