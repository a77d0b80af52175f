import type { TrialResult } from '#lib/client/zones/try-rules.ts';
import { type ClockZone, shortClockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { windowLengthMs } from '#lib/time/window.ts';

/** Beyond, an operator who looks at each for a minute does nothing else. */
const MANY_AN_HOUR = 60;

/** `undefined`: an operator can look at all. */
export function trialWarning({ isSuspended, busiest }: TrialResult, clock: ClockZone): string | undefined {
  if (isSuspended) return 'Too many alarms to list: Lookout would suspend this rule. Narrow it.';
  if (!busiest || busiest.alarms <= MANY_AN_HOUR) return undefined;
  return `Busiest hour: ${groupedNumber(busiest.alarms)} alarms from ${shortClockText(busiest.start, clock)}. Narrow the rule.`;
}

/** `14 alarms in 60 min · 3 without a height · 2 expected`. */
export function trialText({ alarms, window, positions }: TrialResult): string {
  const count = alarms.length === 1 ? '1 alarm' : `${groupedNumber(alarms.length)} alarms`;
  const unknown = alarms.filter(({ heightUnknown }) => heightUnknown).length;
  const expected = alarms.filter((alarm) => alarm.expected).length;
  return [
    `${count} in ${durationText(windowLengthMs(window))}`,
    unknown > 0 ? `${unknown} without a height` : [],
    expected > 0 ? `${expected} expected` : [],
    `${groupedNumber(positions)} positions near the zone`,
  ]
    .flat()
    .join(' · ');
}
