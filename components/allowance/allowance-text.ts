import type { AllowanceWindow } from '#lib/client/status/allowance-status.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { untilText } from './until-text.ts';

/** What stands wherever the service has not told a number yet: never 0. */
export const NOT_KNOWN_YET = 'not known yet';

/** At this part of its size an allowance is called almost used up: the pace leaves more of it in ordinary use. */
const LOW_PART = 0.05;

export interface AllowanceText {
  readonly tone: 'neutral' | 'warning';
  /** `52 of 60 left` */
  readonly left: string;
  /** What is left as a part of the size, 0 to 1; `undefined` where either is not known. */
  readonly leftPart: number | undefined;
  /** Requests that are granted and have not left; `undefined` where there are none. */
  readonly reserved: string | undefined;
  readonly reset: string;
}

export function allowanceText(
  window: AllowanceWindow,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): AllowanceText {
  const { remaining, reserved } = window;
  // A size that is exceeded is not the size.
  const size = window.size && remaining !== undefined && remaining <= window.size ? window.size : undefined;
  const leftPart = remaining === undefined || size === undefined ? undefined : remaining / size;
  const isUsedUp = remaining === 0;
  const isLow = leftPart !== undefined && leftPart <= LOW_PART;
  return {
    tone: isUsedUp || isLow ? 'warning' : 'neutral',
    left: leftText(remaining, size) + (isUsedUp ? ', used up' : isLow ? ', almost used up' : ''),
    leftPart,
    reserved:
      remaining === undefined || reserved === 0
        ? undefined
        : `${groupedNumber(reserved)} granted to requests that have not left yet`,
    reset: resetText(window.resetsAt, now, zone),
  };
}

function leftText(remaining: number | undefined, size: number | undefined): string {
  if (remaining === undefined) return NOT_KNOWN_YET;
  if (size === undefined) return `${groupedNumber(remaining)} left`;
  return `${groupedNumber(remaining)} of ${groupedNumber(size)} left`;
}

function resetText(resetsAt: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  return now !== undefined && now >= resetsAt
    ? `Reset was due at ${clockText(resetsAt, zone)}, no new number yet`
    : `Resets at ${untilText(resetsAt, now, zone)}`;
}
