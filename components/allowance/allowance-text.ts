import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import type { LookoutRequestFailure } from '#lib/client/request/fetch-lookout.ts';
import { noAnswerMessage } from '#lib/client/request/refusal-message.ts';
import type { AllowanceStatus, ReportedAllowance, StatusError } from '#lib/client/status/status-query.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/** Numbers carry their age after three missed polls. */
const RECENT_MS = 15_000;

export function reportedAtText(
  asOf: UpstreamInstant,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): string | undefined {
  if (now === undefined) return `Reported at ${clockText(asOf, zone)}`;
  const ageMs = msBetween(asOf, now);
  return ageMs <= RECENT_MS ? undefined : `Reported at ${clockText(asOf, zone)}, ${durationText(ageMs)} ago`;
}

/** A number that was not reported is never shown as 0. */
const NOT_KNOWN_YET = 'not known yet';

/** The pace of refreshes leaves more than this in ordinary use. */
const LOW_FRACTION = 0.05;

export interface AllowanceText {
  readonly tone: 'neutral' | 'warning';
  readonly left: string;
  readonly leftFraction: number | undefined;
  readonly reserved: string | undefined;
  readonly reset: string;
}

export function allowanceText(
  window: ReportedAllowance,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): AllowanceText {
  const { remaining, reserved } = window;
  const size = window.size && remaining !== undefined && remaining <= window.size ? window.size : undefined;
  const leftFraction = remaining === undefined || size === undefined ? undefined : remaining / size;
  const isUsedUp = remaining === 0;
  const isLow = leftFraction !== undefined && leftFraction <= LOW_FRACTION;
  return {
    tone: isUsedUp || isLow ? 'warning' : 'neutral',
    left: leftText(remaining, size) + (isUsedUp ? ', used up' : isLow ? ', almost used up' : ''),
    leftFraction,
    reserved:
      remaining === undefined || reserved === 0
        ? undefined
        : `${groupedNumber(reserved)} reserved for requests not sent yet`,
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

export function paceText(perMinute: number | undefined): string {
  if (perMinute === undefined) return NOT_KNOWN_YET;
  if (perMinute === 0) return 'no requests';
  if (perMinute >= 10) return `about ${groupedNumber(Math.round(perMinute))} requests a minute`;
  const tenths = Math.round(perMinute * 10) / 10;
  if (tenths >= 1) return `about ${tenths} ${tenths === 1 ? 'request' : 'requests'} a minute`;
  const perHour = Math.round(perMinute * 60);
  if (perHour < 1) return 'less than 1 request an hour';
  return `about ${perHour} ${perHour === 1 ? 'request' : 'requests'} an hour`;
}

const MESSAGE: Readonly<Record<LookoutRequestFailure, string>> = {
  unreachable: noAnswerMessage(''),
  refused: 'Error from Lookout',
  unreadable: 'Unreadable answer from Lookout',
  'signed-out': 'Signed out: the allowance is not reported',
};

export function statusFailureMessage({ kind, since }: Pick<StatusError, 'kind' | 'since'>, zone: ClockZone): string {
  return since === undefined ? MESSAGE[kind] : `${MESSAGE[kind]} since ${clockText(since, zone)}`;
}

interface AllowanceChipText {
  /** `undefined` while no layer is paused. */
  readonly tone: 'warning' | undefined;
  /** Empty where no number is known, and without an allowance. */
  readonly figures: readonly string[];
}

/** The chip of the allowance. While the panel is closed its numbers are old: they carry their age, and end with their window. */
export function allowanceChipText(
  status: AllowanceStatus | undefined,
  { layers, now, isPast }: Pick<DisplaySummary, 'layers' | 'now' | 'isPast'>,
): AllowanceChipText {
  // In a replay, the state of the live layers may be outdated.
  const isPaused = !isPast && LAYERS.some((layer) => layers[layer].on && layers[layer].state === 'limited');
  const figures = isPaused ? ['paused', ...figuresOf(status, now)] : figuresOf(status, now);
  return { tone: isPaused ? 'warning' : undefined, figures };
}

function figuresOf(status: AllowanceStatus | undefined, now: UpstreamInstant | undefined): readonly string[] {
  if (!status?.hasAllowance || now === undefined) return [];
  const { minute, day } = status;
  const figures: string[] = [];
  const ageMs = msBetween(status.asOf, now);
  const isRecent = ageMs <= RECENT_MS;
  if (isRecent && minute.remaining !== undefined && now < minute.resetsAt) {
    const ofSize = minute.size === undefined || minute.size < minute.remaining ? '' : `/${groupedNumber(minute.size)}`;
    figures.push(`${groupedNumber(minute.remaining)}${ofSize} this min`);
  }
  if (day.remaining !== undefined && now < day.resetsAt) figures.push(`${groupedNumber(day.remaining)} today`);
  return isRecent || figures.length === 0 ? figures : [...figures, `${durationText(ageMs)} old`];
}

export function untilText(until: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const at = clockText(until, zone);
  return now === undefined ? at : `${at} (in ${waitText(msBetween(now, until))})`;
}

/** A wait in words. Rounded up to whole seconds: at least `1 s`. */
export function waitText(ms: number): string {
  return durationText(Math.ceil(ms / 1000) * 1000);
}

interface ReasonTimes {
  readonly since?: UpstreamInstant | undefined;
  /** A time that has passed is not said. */
  readonly until: UpstreamInstant | undefined;
}

export function reasonText(
  reason: FailureReason,
  { since, until }: ReasonTimes,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): string {
  const sinceWhen = since === undefined ? '' : ` (since ${clockText(since, zone)})`;
  const { live, ends } = FAILURES[reason];
  const why = `${live}${sinceWhen}`;
  if (until === undefined || (now !== undefined && now >= until)) return why;
  const end = untilText(until, now, zone);
  return ends === 'at-until' ? `${live} until ${end}` : `${why}; next try at ${end}`;
}
