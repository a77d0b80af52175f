import type { Layer } from '#lib/model/position.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Suspension } from '../alarm.ts';
import { alarmKey, emit, type Run } from './alarms.ts';
import type { CompiledRule } from './compile-zones.ts';
import { UNKNOWN_AFTER_MS } from './times.ts';
import type { Transition, WatchedNote } from './transition.ts';
import { lastReceivedMs, type Progress, type Suspended, type Track, type Watch, watchOf } from './zone-state.ts';

/**
 * A rule that reaches a bound, or throws, is suspended: it opens no alarm but one about itself, which says so. Open alarms
 * are followed as before. The rule resumes when so few alarms would be open, and nothing was refused for so long.
 */
const RESUMES_BELOW = 0.8;
const RESUMES_AFTER_MS = MINUTE_MS;
const COUNTED_EVERY_MS = MINUTE_MS;
/** Smaller changes of the count are not written. */
const COUNTED_FROM = 0.1;

/** Suspends the rule at its bound. */
export function mayOpen(run: Run, compiled: CompiledRule, track: Track, atMs: number): boolean {
  if (suspendedOf(run, compiled, track.layer)) return false;
  if (isWithin(run, compiled, 'open', run.state.tally.ofRule(compiled.rule.id, track.layer).open)) return true;
  suspend(run, compiled, track.layer, atMs, 'too_many', 1);
  return false;
}

/** Answers as `mayOpen` does, for an alarm that waits for a hold. */
export function mayFollow(run: Run, compiled: CompiledRule, track: Track, atMs: number): boolean {
  if (isWithin(run, compiled, 'followed', run.state.tally.ofRule(compiled.rule.id, track.layer).followed)) return true;
  refuse(run, compiled, [track], track.layer, atMs);
  return false;
}

export function refuse(run: Run, compiled: CompiledRule, tracks: readonly Track[], layer: Layer, atMs: number): void {
  const suspended = suspend(run, compiled, layer, atMs, 'too_many', tracks.length);
  suspended.refusedMs = Math.max(suspended.refusedMs, atMs);
  for (const track of tracks) if (suspended.refused.size < run.zones.bounds.rule.followed) suspended.refused.add(track);
}

/** Half of an operator's share is kept for its rules in equal parts: one must not use up those of the others. */
function isWithin(run: Run, { zone }: CompiledRule, what: 'open' | 'followed', ofRule: number, part = 1): boolean {
  const { bounds } = run.zones;
  const { tally } = run.state;
  const ofOperator = tally.ofOperator(zone.zone.id);
  const share = bounds.all[what] / Math.max(1, tally.operators);
  const kept = share / 2 / Math.max(1, ofOperator.rules);
  const common = share - kept * Math.max(0, ofOperator.rules - 1);
  return ofRule < part * bounds.rule[what] && (ofOperator[what] < part * common || ofRule < part * kept);
}

/** @returns whether the operator's rules may decide as much in this answer; suspends the rule where not */
export function maySpend(run: Run, compiled: CompiledRule, track: Track, atMs: number, decisions: number): boolean {
  const { operator = '' } = compiled.zone.zone;
  const spent = (run.work.get(operator) ?? 0) + decisions;
  if (spent > run.zones.bounds.work) {
    refuse(run, compiled, [track], track.layer, atMs);
    return false;
  }
  run.work.set(operator, spent);
  return true;
}

/** A rule that throws must not stop the others. @returns `undefined` of a rule that throws, or threw before */
export function decided<Result>(
  run: Run,
  compiled: CompiledRule,
  layer: Layer,
  atMs: number,
  decide: () => Result,
): Result | undefined {
  if (run.state.failed.has(compiled)) return undefined;
  try {
    if (compiled.problem !== undefined) throw compiled.problem;
    return decide();
  } catch (error) {
    setAside(run, compiled, layer, atMs, error);
    return undefined;
  }
}

function setAside(run: Run, compiled: CompiledRule, layer: Layer, atMs: number, error: unknown): void {
  const { state, zones } = run;
  state.failed.add(compiled);
  run.failures.push({ zone: compiled.zone.zone.id, rule: compiled.rule.id, error });
  const suspended = suspend(run, compiled, layer, atMs, 'rule_failed', 0);
  suspended.refusedMs = Math.max(suspended.refusedMs, atMs);
  for (const each of compiled.rule.layers) {
    for (const progress of watchOf(state, compiled.zone.zone.id, each).progress) {
      if (zones.rules.get(progress.rule) !== compiled || progress.unknownSinceMs !== undefined) continue;
      if (!progress.alarm?.isOpen) continue;
      progress.unknownSinceMs = lastReceivedMs(progress);
      run.changed.add(progress);
      const { track: first, other } = progress;
      emit(run, 'unknown', subjectOf(compiled, first.layer, first.ref, other), progress.alarm, progress.unknownSinceMs);
    }
  }
}

export function suspensionSweep(
  run: Run,
  watch: Watch,
  atMs: number,
  unwatchedMs: number | undefined,
  reason: WatchedNote['reason'],
): void {
  if (watch.suspended.size === 0) return;
  const byRule = new Map<string, Progress[]>();
  for (const progress of watch.progress) {
    const its = byRule.get(progress.rule);
    if (its) its.push(progress);
    else byRule.set(progress.rule, [progress]);
  }
  for (const [id, suspended] of watch.suspended) {
    const compiled = run.zones.rules.get(id);
    if (!compiled) continue;
    run.watches.add(watch);
    const overMs = compiled.zone.hours.overBetween(suspended.checkedMs, atMs);
    suspended.checkedMs = atMs;
    if (overMs !== undefined) {
      end(run, watch, id, suspended, overMs, 'hours_over');
      continue;
    }
    if (unwatchedMs !== undefined) {
      if (suspended.unknownSinceMs !== undefined || atMs - unwatchedMs < UNKNOWN_AFTER_MS) continue;
      suspended.unknownSinceMs = Math.max(unwatchedMs, suspended.alarm.openedMs);
      say(run, watch, id, 'unknown', suspended, suspended.unknownSinceMs, { reason });
      continue;
    }
    if (suspended.unknownSinceMs !== undefined) {
      suspended.unknownSinceMs = undefined;
      say(run, watch, id, 'known', suspended, atMs);
    }
    if (suspended.kind === 'too_many') count(run, watch, compiled, suspended, byRule.get(id) ?? [], atMs);
    const isRefusing = atMs - suspended.refusedMs < RESUMES_AFTER_MS || run.state.failed.has(compiled);
    const isFew = suspended.kind === 'rule_failed' || isWithin(run, compiled, 'open', suspended.inside, RESUMES_BELOW);
    if (!isRefusing && isFew) end(run, watch, id, suspended, atMs, 'resumed');
  }
}

/** Drops suspended alarms of rules that changed. @returns whether there were any */
export function forgetSuspended(run: Run, watch: Watch): boolean {
  const before = watch.suspended.size;
  for (const [id, suspended] of watch.suspended) {
    if (run.zones.rules.get(id)?.print === suspended.print) continue;
    end(
      run,
      watch,
      id,
      suspended,
      run.state.clockMs,
      run.zones.zones.has(watch.zone) ? 'rule_changed' : 'zone_removed',
    );
  }
  return watch.suspended.size < before;
}

function count(
  run: Run,
  watch: Watch,
  { rule, kind }: CompiledRule,
  suspended: Suspended,
  its: readonly Progress[],
  atMs: number,
): void {
  const { alarm } = suspended;
  const isInside = ({ phase }: Progress) => phase === 'inside' || phase === 'held_out';
  const inside = its.filter((one) => one.alarm?.isOpen || (!kind.opensOutside && isInside(one))).length;
  suspended.inside = inside;
  if (atMs - suspended.countedMs < COUNTED_EVERY_MS) return;
  const all = inside + suspended.refused.size;
  suspended.countedMs = atMs;
  suspended.refused.clear();
  if (Math.abs(all - alarm.count) <= COUNTED_FROM * alarm.count || all === 0) return;
  alarm.count = all;
  say(run, watch, rule.id, 'counted', suspended, atMs);
}

function suspendedOf(run: Run, { rule, zone }: CompiledRule, layer: Layer): Suspended | undefined {
  return run.state.watches.get(`${zone.zone.id}|${layer}`)?.suspended.get(rule.id);
}

function suspend(
  run: Run,
  compiled: CompiledRule,
  layer: Layer,
  atMs: number,
  kind: Suspension,
  refused: number,
): Suspended {
  const { rule, zone, print } = compiled;
  const watch = watchOf(run.state, zone.zone.id, layer);
  run.watches.add(watch);
  const before = watch.suspended.get(rule.id);
  if (before && (before.kind === kind || kind === 'too_many')) return before;
  if (before) end(run, watch, rule.id, before, atMs, 'resumed');
  const open = [...watch.progress].filter((one) => one.rule === rule.id && one.alarm?.isOpen);
  const areAll = (is: (track: Track) => boolean) =>
    open.length > 0 && open.every(({ track, other }) => is(track) || (other !== undefined && is(other)));
  const suspended: Suspended = {
    print,
    kind,
    unknownSinceMs: undefined,
    refusedMs: atMs,
    checkedMs: atMs,
    refused: new Set(),
    countedMs: Number.NEGATIVE_INFINITY,
    inside: open.length,
    alarm: {
      key: `${alarmKey(rule.id, layer, undefined, undefined, atMs)}|${kind}`,
      revision: zone.zone.revision,
      kind,
      openedMs: atMs,
      isOpen: true,
      count: Math.max(1, open.length + refused),
      heightUnknown: false,
      simulated: areAll(({ position }) => position.simulated),
      test: areAll(({ position }) => position.testBroadcast),
      expected: open.length > 0 && open.every(({ alarm }) => alarm?.expected),
      perhapsSameAs: undefined,
      awaySinceMs: undefined,
    },
  };
  watch.suspended.set(rule.id, suspended);
  say(run, watch, rule.id, 'opened', suspended, atMs);
  return suspended;
}

function end(
  run: Run,
  watch: Watch,
  rule: string,
  suspended: Suspended,
  atMs: number,
  why: NonNullable<Transition['end']>,
): void {
  watch.suspended.delete(rule);
  say(run, watch, rule, 'ended', suspended, Math.max(atMs, suspended.alarm.openedMs), { end: why });
}

function say(
  run: Run,
  { zone, layer }: Watch,
  rule: string,
  type: Transition['type'],
  { alarm }: Suspended,
  atMs: number,
  details?: Partial<Pick<Transition, 'end' | 'reason'>>,
): void {
  emit(run, type, { zone, layer, rule, ref: undefined, other: undefined }, alarm, atMs, details);
}

function subjectOf({ rule, zone }: CompiledRule, layer: Layer, ref: string, other: Track | undefined) {
  return { zone: zone.zone.id, rule: rule.id, layer, ref, other: other && { layer: other.layer, ref: other.ref } };
}
