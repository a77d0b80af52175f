'use client';

import { useQuery } from '@tanstack/react-query';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import {
  type Receiver,
  type ReceiversAnswer,
  type ReceiversReport,
  shareText,
  UNREAD_TEXTS,
} from '#lib/api/receivers/receivers-answer.ts';
import { receiversQuery } from '#lib/client/account/account-requests.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { type ClockZone, weekdayText } from '#lib/model/clock-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { agoText, momentText } from '../account/account-text.ts';
import { ReadFailure, staysShown } from '../account/page-parts.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { classNames } from '../ui/class-names.ts';
import { StationHoursSection } from './hours-section.tsx';

/** The own receivers, for admins: their state now, and what they received over time. */
export function ReceiversPage({ viewer }: { readonly viewer: PageViewer }) {
  return (
    <PageFrame viewer={viewer} title="Receivers" path="/admin/receivers">
      {(zone) => (
        <>
          <Receivers zone={zone} />
          <StationHoursSection zone={zone} />
        </>
      )}
    </PageFrame>
  );
}

function Receivers({ zone }: { readonly zone: ClockZone }) {
  const { data, error } = useQuery(receiversQuery());
  const now = useNow();
  if (!staysShown(error)) return error && <ReadFailure error={error} />;
  if (!data) return error ? <ReadFailure error={error} /> : <p className="text-dim">Reading their state…</p>;
  const { failure, status } = data;
  const isEarlier = error !== null || failure !== null;
  return (
    <>
      {error && <ReadFailure error={error} />}
      {!error && failure && (
        <p role="alert" className="text-bad">
          {unreadText(failure, zone)}
        </p>
      )}
      {status && (
        <p className={isEarlier ? 'font-semibold text-warning' : 'text-dim'}>
          {isEarlier ? 'What follows was so at' : 'As of'} {momentText(status.at, zone)}. Counts are since the service
          began to listen to each.
        </p>
      )}
      {status?.problems.map((problem) => (
        <p key={problem} role="alert" className="text-warning">
          The file of feeds is not used as it is now: {problem}
        </p>
      ))}
      {status && <Stations status={status} times={{ now: isEarlier ? undefined : now, zone }} isEarlier={isEarlier} />}
    </>
  );
}

interface StationsProps {
  readonly status: ReceiversReport;
  readonly times: TimesShown;
  readonly isEarlier: boolean;
}

function Stations({ status: { feeds, past, clock_set: clockSet }, times, isEarlier }: StationsProps) {
  return (
    <>
      {feeds.length === 0 && <p>There are no receivers in the file of feeds.</p>}
      <ul className="grid gap-3 empty:hidden">
        {feeds.map((receiver) => (
          <Station key={receiver.id} receiver={receiver} times={times} isEarlier={isEarlier} />
        ))}
      </ul>
      {clockSet !== null && <p className="text-dim">{clockSetText(clockSet, times.zone)}</p>}
      <p className="text-dim">{recordedText(past, times.zone)}</p>
    </>
  );
}

const STATE_LOOK: Readonly<Record<Receiver['state'], string>> = {
  receiving: 'border-good text-good',
  silent: 'border-warning text-warning',
  connecting: 'border-edge text-dim',
  lost: 'border-bad text-bad',
};

interface StationProps {
  readonly receiver: Receiver;
  readonly times: TimesShown;
  readonly isEarlier: boolean;
}

function Station({ receiver, times, isEarlier }: StationProps) {
  const { id, url, aggregates, simulated, state, problem, deaf, last_heard_at, last_position_at } = receiver;
  const facts = [
    ['Positions in the last minute', rateText(receiver)],
    ['Last heard', lastReceivedText(last_heard_at, times)],
    ['Last position', lastReceivedText(last_position_at, times)],
    ['Clock error', clockErrorText(receiver)],
    ['Refused', countsText(receiver.refused)],
    ['Not served', countsText(receiver.not_served)],
    ...requestFacts(receiver),
  ] as const;
  return (
    <li aria-label={id} className="flex flex-col gap-3 rounded-card border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="min-w-0 break-all font-semibold">{id}</h2>
        <span
          className={classNames(
            'rounded-control border px-2 font-semibold',
            isEarlier ? 'border-edge text-dim' : STATE_LOOK[state],
          )}
        >
          {isEarlier ? `was ${state}` : state}
        </span>
        {deaf && (
          <span
            className={classNames(
              'rounded-control border px-2 font-semibold',
              isEarlier ? 'border-edge text-dim' : 'border-warning text-warning',
            )}
          >
            {isEarlier ? 'was deaf' : 'deaf'}
          </span>
        )}
        {simulated && <span className="text-warning">simulated: never received</span>}
        {aggregates && <span className="text-dim">several stations</span>}
        <span className="min-w-0 break-all font-mono text-caption text-dim">{url}</span>
      </div>
      {deaf && <p>{deafText(deaf, times)}</p>}
      <p className={problem === null ? 'text-dim' : undefined}>{receiverStateText(receiver, times)}</p>
      <dl className="grid grid-cols-3 gap-x-4 gap-y-3 phone:grid-cols-1 phone:gap-y-2">
        {facts.map(([name, value]) => (
          <div key={name} className="min-w-0 phone:grid phone:grid-cols-2 phone:items-baseline phone:gap-x-3">
            <dt className="text-caption text-dim">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

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

/** `Hears 35% of what it usually does, since Tuesday 14:00Z.` */
export function deafText({ share, since }: NonNullable<Receiver['deaf']>, { now, zone }: TimesShown): string {
  const text = `${shareText(share)}, since ${weekdayText(instantOf(since), now, zone)}.`;
  return now === undefined ? text : `${text} Check its antenna, cable and amplifier.`;
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

/** The cost of a feed that reads another service. */
export function requestFacts({ requests }: Receiver): readonly (readonly [string, string])[] {
  if (!requests) return [];
  const { needed, limit, used, account_left: accountLeft } = requests;
  return [
    [
      'Requests today',
      `${groupedNumber(used)} of ${groupedNumber(limit)}, ${groupedNumber(Math.max(0, limit - used))} left`,
    ],
    ['Needed a day', `${groupedNumber(needed)} or more`],
    ['Left at its account', accountLeft === null ? 'not known' : groupedNumber(accountLeft)],
  ];
}

export function countsText(counts: Readonly<Record<string, number>>): string {
  const occurred = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one);
  return occurred.length === 0
    ? 'none'
    : occurred.map(([cause, count]) => `${count} ${cause.replaceAll('_', ' ')}`).join(', ');
}

/** Why the state of the receivers is not read. It has no age, which a screen reader would read out each second. */
export function unreadText({ cause, since }: NonNullable<ReceiversAnswer['failure']>, zone: ClockZone): string {
  return `${UNREAD_TEXTS[cause]}. Noticed at ${momentText(since, zone)}.`;
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

function clockSetText(
  { at, by_ms: byMs }: NonNullable<NonNullable<ReceiversAnswer['status']>['clock_set']>,
  zone: ClockZone,
): string {
  const seconds = (Math.abs(byMs) / SECOND_MS).toFixed(1);
  return `The clock of the service's machine was set ${byMs < 0 ? 'back' : 'forward'} by ${seconds} s, to ${momentText(at, zone)}. Positions kept coming; earlier ones have the times of the clock before that.`;
}
