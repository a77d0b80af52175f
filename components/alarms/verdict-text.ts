import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { VerdictToday } from '#lib/client/zones/try-rules.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { ALARM_KIND_TEXT } from '#lib/zones/alarm-words.ts';

export function verdictText(verdict: VerdictToday, alarm: Alarm, clock: ClockZone): string {
  const start = 'Evaluated again on this replay:';
  switch (verdict.kind) {
    case 'same':
      return `${start} today the verdict is the same.`;
    case 'none':
      return `${start} today the verdict differs. The zone raises no such alarm on the loaded positions.`;
    case 'other': {
      const as = verdict.as === alarm.kind ? '' : `, as “${ALARM_KIND_TEXT[verdict.as]}”`;
      return `${start} today the verdict differs. The zone raises it at ${clockText(verdict.at, clock)}${as}. The whole replay counts as watched.`;
    }
    case 'zone_removed':
      return `${start} today the verdict differs. The zone is removed, or no longer shared.`;
    case 'rule_removed':
      return `${start} today the verdict differs. The rule is removed from the zone.`;
  }
}
