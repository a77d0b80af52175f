import type { Layer, Position } from '#lib/model/position.ts';
import { alarmKey, emit, type Run } from './alarms.ts';
import type { CompiledRule } from './compile-zones.ts';
import { insideLevel, type ZoneAnswer } from './levels.ts';
import { UNKNOWN_AFTER_MS } from './times.ts';
import type { Transition, WatchedNote } from './transition.ts';
import { type Quiet, type Watch, watchedMs, watchOf } from './zone-state.ts';

export function quietReceived(
  run: Run,
  compiled: CompiledRule,
  layer: Layer,
  position: Position,
  answer: ZoneAnswer,
  atMs: number,
): void {
  if (insideLevel(compiled, position, answer) !== 'in') return;
  const watch = watchOf(run.state, compiled.zone.zone.id, layer);
  run.watches.add(watch);
  const quiet = quietOf(watch, compiled, atMs);
  quiet.sinceMs = Math.max(quiet.sinceMs, atMs);
  end(run, watch, compiled, quiet, atMs, 'left', [position]);
}

/** @returns the earliest instant that a later sweep reads */
export function quietSweep(
  run: Run,
  watch: Watch,
  rules: readonly CompiledRule[],
  atMs: number,
  unwatchedMs: number | undefined,
  reason: WatchedNote['reason'],
): number {
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const compiled of rules) {
    const { rule, zone } = compiled;
    if (!rule.layers.includes(watch.layer)) continue;
    const quiet = quietOf(watch, compiled, atMs);
    const overMs = zone.hours.overBetween(quiet.sinceMs, atMs);
    if (overMs !== undefined) {
      end(run, watch, compiled, quiet, overMs, 'hours_over', []);
      quiet.sinceMs = zone.hours.activeSince(atMs) ?? atMs;
    }
    if (!zone.hours.isActive(atMs)) continue;
    oldestMs = Math.min(oldestMs, quiet.sinceMs);
    const isLongUnwatched = unwatchedMs !== undefined && atMs - unwatchedMs >= UNKNOWN_AFTER_MS;
    if (isLongUnwatched) becomeUnknown(run, watch, compiled, quiet, unwatchedMs, reason);
    if (unwatchedMs !== undefined) continue;
    if (quiet.alarm) becomeKnown(run, watch, compiled, quiet, atMs);
    else if (watchedMs(watch, quiet.sinceMs, atMs) >= compiled.quietMs) open(run, watch, compiled, quiet, atMs);
  }
  return oldestMs;
}

function quietOf(watch: Watch, { rule, print }: CompiledRule, atMs: number): Quiet {
  let quiet = watch.quiet.get(rule.id);
  if (!quiet) {
    quiet = { print, sinceMs: atMs, alarm: undefined, unknownSinceMs: undefined };
    watch.quiet.set(rule.id, quiet);
  }
  return quiet;
}

function open(run: Run, watch: Watch, compiled: CompiledRule, quiet: Quiet, atMs: number): void {
  quiet.alarm = {
    key: alarmKey(compiled.rule.id, watch.layer, undefined, undefined, atMs),
    revision: compiled.zone.zone.revision,
    kind: compiled.rule.kind,
    openedMs: atMs,
    isOpen: true,
    count: 1,
    heightUnknown: false,
    simulated: false,
    test: false,
    expected: false,
    perhapsSameAs: undefined,
    awaySinceMs: undefined,
  };
  emit(run, 'opened', subject(watch, compiled), quiet.alarm, atMs);
}

function end(
  run: Run,
  watch: Watch,
  compiled: CompiledRule,
  quiet: Quiet,
  atMs: number,
  why: Transition['end'],
  evidence: readonly Position[],
): void {
  if (!quiet.alarm) return;
  emit(run, 'ended', subject(watch, compiled), quiet.alarm, atMs, { end: why, evidence });
  quiet.alarm = undefined;
  quiet.unknownSinceMs = undefined;
}

function becomeUnknown(
  run: Run,
  watch: Watch,
  compiled: CompiledRule,
  quiet: Quiet,
  sinceMs: number,
  reason: WatchedNote['reason'],
): void {
  if (!quiet.alarm || quiet.unknownSinceMs !== undefined) return;
  quiet.unknownSinceMs = Math.max(sinceMs, quiet.alarm.openedMs);
  emit(run, 'unknown', subject(watch, compiled), quiet.alarm, quiet.unknownSinceMs, { reason });
}

function becomeKnown(run: Run, watch: Watch, compiled: CompiledRule, quiet: Quiet, atMs: number): void {
  if (!quiet.alarm || quiet.unknownSinceMs === undefined) return;
  quiet.unknownSinceMs = undefined;
  emit(run, 'known', subject(watch, compiled), quiet.alarm, atMs);
}

function subject({ zone, layer }: Watch, { rule }: CompiledRule) {
  return { zone, layer, rule: rule.id, ref: undefined, other: undefined };
}

/** @returns whether rules changed */
export function forgetQuiet(run: Run, watch: Watch): boolean {
  let hasChanged = false;
  for (const [rule, { print, alarm }] of watch.quiet) {
    if (run.zones.rules.get(rule)?.print === print) continue;
    const about = { zone: watch.zone, layer: watch.layer, rule, ref: undefined, other: undefined };
    const why = run.zones.zones.has(watch.zone) ? 'rule_changed' : 'zone_removed';
    if (alarm) emit(run, 'ended', about, alarm, run.state.clockMs, { end: why });
    watch.quiet.delete(rule);
    hasChanged = true;
  }
  return hasChanged;
}
