import type { Alarm } from '#lib/api/watching/alarms.ts';
import { ALARM_KIND_TEXT } from '#lib/zones/alarm-words.ts';

export interface AlarmCounts {
  /** The latest first. */
  readonly fresh: readonly Alarm[];
  readonly open: number;
  readonly zones: number;
  readonly unwatched: number;
  /** The last request failed. */
  readonly isOld: boolean;
}

/** Never an all-clear. */
export function alarmCountText({ fresh, open, zones, unwatched, isOld }: AlarmCounts): {
  readonly headline: string;
  readonly note: string;
} {
  const [first] = fresh;
  const watch =
    unwatched === 0 ? (zones === 1 ? '1 zone' : `${zones} zones`) : `${unwatched} of ${zones} zones not watched`;
  if (isOld) return { headline: 'Alarms out of date', note: 'not read again since' };
  if (!first) return { headline: open === 0 ? 'No new alarm' : `${open} open`, note: watch };
  const unreal = first.simulated ? 'SIM · ' : first.test ? 'TEST · ' : '';
  return {
    headline: fresh.length === 1 ? '1 new alarm' : `${fresh.length} new alarms`,
    note: `${unreal}${ALARM_KIND_TEXT[first.kind]} · ${first.zone.name}`,
  };
}
