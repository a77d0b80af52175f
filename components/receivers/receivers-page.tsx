'use client';

import { useQuery } from '@tanstack/react-query';
import type { Receiver, ReceiversReport } from '#lib/api/receivers/receivers-answer.ts';
import { receiversQuery } from '#lib/client/account/account-requests.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { AccountLayout, ReadFailure, staysShown, useServerNow } from '../account/account-layout.tsx';
import { momentText } from '../account/account-text.ts';
import { classNames } from '../ui/class-names.ts';
import { StationHoursSection } from './hours-section.tsx';
import {
  clockErrorText,
  clockSetText,
  countsText,
  lastReceivedText,
  rateText,
  receiverStateText,
  recordedText,
  type TimesShown,
  unreadText,
} from './receivers-text.ts';

/** The own receivers, for admins: their state now, and what they received over time. */
export function ReceiversPage({ operator }: { readonly operator: string | undefined }) {
  return (
    <AccountLayout operator={operator} title="Receivers" width="list" path="/admin/receivers" isAdmin hasReceivers>
      {(zone) => (
        <>
          <Receivers zone={zone} />
          <StationHoursSection zone={zone} />
        </>
      )}
    </AccountLayout>
  );
}

function Receivers({ zone }: { readonly zone: ClockZone }) {
  const { data, error } = useQuery(receiversQuery());
  const now = useServerNow(data?.as_of);
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
  const { id, url, aggregates, simulated, state, problem, last_heard_at, last_position_at } = receiver;
  const facts = [
    ['Positions in the last minute', rateText(receiver)],
    ['Last heard', lastReceivedText(last_heard_at, times)],
    ['Last position', lastReceivedText(last_position_at, times)],
    ['Clock error', clockErrorText(receiver)],
    ['Refused', countsText(receiver.refused)],
    ['Not served', countsText(receiver.not_served)],
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
        {simulated && <span className="text-warning">simulated: never received</span>}
        {aggregates && <span className="text-dim">several stations</span>}
        <span className="min-w-0 break-all font-mono text-caption text-dim">{url}</span>
      </div>
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
