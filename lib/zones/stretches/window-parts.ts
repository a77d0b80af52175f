import { type WINDOW_REASONS, WINDOW_STATES } from '../alarm.ts';
import type { Hours } from '../zone.ts';
import { ZoneHours } from '../zone-hours.ts';
import type { MergedStretch } from './merged-stretches.ts';

export interface WindowSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface WindowPart extends WindowSpan {
  readonly state: (typeof WINDOW_STATES)[number];
  readonly reason: (typeof WINDOW_REASONS)[number] | null;
}

/** A revision of a zone, for as long as it was the current one. */
export interface ZonePhase extends WindowSpan {
  readonly hours: Hours;
  readonly hasRules: boolean;
}

/**
 * Divides a window: the parts follow each other without a gap, from its start to its end. A recorded stretch wins over
 * what the revisions say.
 * @param phases in order of time, without overlaps, like `stretches`
 */
export function windowParts(
  window: WindowSpan,
  phases: readonly ZonePhase[],
  stretches: readonly MergedStretch[],
): readonly WindowPart[] {
  const parts: WindowPart[] = [];
  let atMs = window.fromMs;
  for (const stretch of stretches) {
    const [fromMs, toMs] = [Math.max(stretch.fromMs, atMs), Math.min(stretch.toMs, window.toMs)];
    if (fromMs >= toMs) continue;
    parts.push(...unrecorded({ fromMs: atMs, toMs: fromMs }, phases));
    parts.push({ fromMs, toMs, state: stretch.state, reason: stretch.reason });
    atMs = toMs;
  }
  return [...parts, ...unrecorded({ fromMs: atMs, toMs: window.toMs }, phases)];
}

function unrecorded(span: WindowSpan, phases: readonly ZonePhase[]): readonly WindowPart[] {
  const parts: WindowPart[] = [];
  let atMs = span.fromMs;
  const until = (toMs: number, state: WindowPart['state'], reason: WindowPart['reason'] = null) => {
    if (toMs > atMs) parts.push({ fromMs: atMs, toMs, state, reason });
    atMs = Math.max(atMs, toMs);
  };
  for (const { fromMs, toMs, hours, hasRules } of phases) {
    if (toMs <= atMs || fromMs >= span.toMs) continue;
    until(fromMs, 'absent');
    const endMs = Math.min(toMs, span.toMs);
    for (const its of new ZoneHours(hours).spans(atMs, endMs)) {
      if (its.isActive) until(its.to, 'not_watched', hasRules ? 'no_record' : 'no_rule');
      else until(its.to, 'outside_hours');
    }
  }
  until(span.toMs, 'absent');
  return parts;
}

export interface WindowSum {
  readonly state: WindowPart['state'];
  readonly reason: WindowPart['reason'];
  readonly ms: number;
}

/** How long each state was, by its reason. Together they are as long as the window. */
export function windowSums(parts: readonly WindowPart[]): readonly WindowSum[] {
  const sums = new Map<string, WindowSum>();
  for (const { state, reason, fromMs, toMs } of parts) {
    const key = `${state} ${reason}`;
    sums.set(key, { state, reason, ms: (sums.get(key)?.ms ?? 0) + toMs - fromMs });
  }
  return [...sums.values()].sort(
    (a, b) => WINDOW_STATES.indexOf(a.state) - WINDOW_STATES.indexOf(b.state) || b.ms - a.ms,
  );
}
