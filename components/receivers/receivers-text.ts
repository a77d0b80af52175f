import type { Receiver, ReceiversAnswer, UnreadCause } from '#lib/api/receivers/receivers-answer.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { agoText, momentText } from '../account/account-text.ts';

export interface TimesShown {
  /** `undefined` for an earlier status, whose times are absolute. */
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
}

/** `3 s ago`, or the time; `null` is "not yet heard", never 0 s. */
export function lastReceivedText(at: string | null, { now, zone }: TimesShown): string {
  return at === null ? 'not yet heard' : (agoText(at, now) ?? momentText(at, zone));
}

const SINCE: Readonly<Record<Receiver['state'], string>> = {
  connecting: 'Not connected yet, tried since',
  receiving: 'Connected since',
  silent: 'Silent. Connected since',
  lost: 'Down since',
};

export function receiverStateText({ state, since, problem }: Receiver, { now, zone }: TimesShown): string {
  const ago = agoText(since, now);
  const text = `${SINCE[state]} ${momentText(since, zone)}${ago === undefined ? '' : `, ${ago}`}`;
  if (problem === null) return `${text}.`;
  // While the service does not answer, no receiver is tried again.
  return `${text}: ${problem}.${now === undefined ? '' : ' It is tried again by itself.'}`;
}

export function rateText({ positions_per_minute: positions, last_position_at }: Receiver): string {
  return last_position_at === null ? 'none yet' : String(positions);
}

export function clockErrorText({ clock_error_ms: errorMs, clock_is_used: isUsed }: Receiver): string {
  if (errorMs === null) return 'not known';
  const seconds = (Math.abs(errorMs) / SECOND_MS).toFixed(1);
  const error = seconds === '0.0' ? 'less than 0.1 s' : `${seconds} s ${errorMs < 0 ? 'behind' : 'ahead'}`;
  return isUsed === false ? `${error}; not used, the time of arrival counts` : error;
}

export function countsText(counts: Readonly<Record<string, number>>): string {
  const occurred = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one);
  return occurred.length === 0
    ? 'none'
    : occurred.map(([cause, count]) => `${count} ${cause.replaceAll('_', ' ')}`).join(', ');
}

const UNREAD: Readonly<Record<UnreadCause, string>> = {
  not_running: 'The service that listens to the receivers does not run',
  not_permitted: 'The service that listens to the receivers runs as another user and cannot be reached',
  no_answer: 'The service that listens to the receivers does not answer',
  unreadable:
    'The service that listens to the receivers answers something that cannot be read: it may be another version',
};

/** Why the state of the receivers is not read. It has no age, which a screen reader would read out each second. */
export function unreadText({ cause, since }: NonNullable<ReceiversAnswer['failure']>, zone: ClockZone): string {
  return `${UNREAD[cause]}. Noticed at ${momentText(since, zone)}.`;
}

const PAST_PROBLEM = {
  disk_full: 'Nothing is recorded at present: the disk is full.',
  disk_failed: 'Nothing is recorded at present: the disk cannot be written.',
} as const;

export function recordedText(past: NonNullable<ReceiversAnswer['status']>['past'], zone: ClockZone): string {
  if (past === null) return 'Received positions are not recorded.';
  const { oldest_at: oldest, bytes, problem, overdue, dropped } = past;
  const kept =
    oldest === null
      ? 'Nothing is recorded yet.'
      : `Recorded back to ${momentText(oldest, zone)}: ${bytes < 1e5 ? 'less than 0.1' : (bytes / 1e6).toFixed(1)} MB.`;
  const lost = countsText(dropped);
  const waits =
    overdue &&
    `Positions from before ${momentText(overdue.before, zone)} are older than the time for which they are kept. They are not deleted in case the clock of the machine is wrong: docs/receivers.md says how to confirm it.`;
  return [
    problem && PAST_PROBLEM[problem],
    kept,
    waits,
    lost !== 'none' && `Positions not recorded since the start: ${lost}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

export function clockSetText(
  { at, by_ms: byMs }: NonNullable<NonNullable<ReceiversAnswer['status']>['clock_set']>,
  zone: ClockZone,
): string {
  const seconds = (Math.abs(byMs) / SECOND_MS).toFixed(1);
  return `The clock of the service's machine was set ${byMs < 0 ? 'back' : 'forward'} by ${seconds} s, to ${momentText(at, zone)}. Positions kept coming; earlier ones have the times of the clock before that.`;
}
