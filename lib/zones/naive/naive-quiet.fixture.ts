import { epochMs } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { CompiledRule } from '../evaluation/compile-zones.ts';
import { insideLevel, zoneAnswer } from '../evaluation/levels.ts';
import { UNKNOWN_AFTER_MS } from '../evaluation/times.ts';
import type { NaiveTime, NaiveTransition } from './naive-time.fixture.ts';

/** Random worlds give zones with this rule no hours. */
export function naiveQuiet({ rule, zone, ...compiled }: CompiledRule, time: NaiveTime): NaiveTransition[] {
  if (rule.kind !== 'nothing_received') return [];
  return rule.layers.flatMap((layer) => {
    const out: NaiveTransition[] = [];
    let sinceMs: number | undefined;
    let key: string | undefined;
    let isUnknown = false;
    const put = (type: NaiveTransition['type'], atMs: number, end?: NaiveTransition['end']) => {
      const facts = { kind: 'nothing_received', count: 1, expected: false, perhapsSameAs: undefined } as const;
      if (key !== undefined) out.push({ type, key, ...facts, end, atMs });
    };
    for (const event of time.events) {
      if (event.layer !== layer || event.kind === 'late') continue;
      if (event.kind === 'position') {
        if (insideLevel({ rule, zone, ...compiled }, event.position, zoneAnswer(zone, event.position)) !== 'in')
          continue;
        const atMs = epochMs(event.position.observedAt);
        sinceMs = Math.max(sinceMs ?? atMs, atMs);
        put('ended', atMs, 'left');
        key = undefined;
        isUnknown = false;
      } else if (event.zone === zone.zone.id) {
        const { atMs, call } = event;
        sinceMs ??= atMs;
        const unwatchedMs = time.unwatchedSince(event.zone, layer, call, atMs);
        if (unwatchedMs !== undefined) {
          if (key === undefined || isUnknown || atMs - unwatchedMs < UNKNOWN_AFTER_MS) continue;
          put('unknown', Math.max(unwatchedMs, Number(key.split('|').at(-1))));
          isUnknown = true;
        } else if (isUnknown) {
          put('known', atMs);
          isUnknown = false;
        } else if (
          key === undefined &&
          time.watchedMs(event.zone, layer, call, sinceMs, atMs) >= rule.for_s * SECOND_MS
        ) {
          key = [rule.id, layer, '', atMs].join('|');
          put('opened', atMs);
        }
      }
    }
    return out;
  });
}
