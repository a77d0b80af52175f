'use client';

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { memo, useState } from 'react';
import type { AuditEntry } from '#lib/api/people/audit-event.ts';
import { type AuditChoice, auditQuery, refetchAudit } from '#lib/client/account/audit-query.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { AccountLayout } from './account-layout.tsx';
import { agoText, momentText } from './account-text.ts';
import { AuditChoiceForm } from './audit-choice-form.tsx';
import { auditExtentText, auditItemText } from './audit-item-text.ts';
import { ReadFailure, staysShown } from './read-failure.tsx';
import { useServerNow } from './use-server-now.ts';

interface AuditPageProps {
  readonly operator: string;
  readonly hasReceivers: boolean;
  readonly choice: AuditChoice;
}

export function AuditPage({ operator, hasReceivers, choice }: AuditPageProps) {
  return (
    <AccountLayout
      operator={operator}
      title="Audit"
      width="list"
      path="/admin/audit"
      isAdmin
      hasReceivers={hasReceivers}
    >
      {() => <Audit opened={choice} />}
    </AccountLayout>
  );
}

function Audit({ opened }: { readonly opened: AuditChoice }) {
  const [choice, setChoice] = useState(opened);
  const queries = useQueryClient();
  const { data, error } = useInfiniteQuery(auditQuery(choice));
  const choose = (chosen: AuditChoice) => {
    if (chosen.operator === choice.operator && chosen.kind === choice.kind) void refetchAudit(queries, choice);
    setChoice(chosen);
    const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value !== '')).toString();
    window.history.replaceState(null, '', query === '' ? '/admin/audit' : `/admin/audit?${query}`);
  };
  if (!staysShown(error)) return error && <ReadFailure error={error} />;
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <>
      <AuditChoiceForm choice={choice} entries={entries} onChoose={choose} />
      {error && !data && <ReadFailure error={error} />}
      {!error && !data && <p className="text-dim">Reading the audit…</p>}
      {data && <AuditList choice={choice} />}
    </>
  );
}

function AuditList({ choice }: { readonly choice: AuditChoice }) {
  const queries = useQueryClient();
  const { data, error, hasNextPage, fetchNextPage, isFetching, isFetchNextPageError } = useInfiniteQuery(
    auditQuery(choice),
  );
  const newest = data?.pages[0];
  const now = useServerNow(newest?.as_of);
  if (!newest) return null;
  const entries = data.pages.flatMap((page) => page.entries);
  const waiting = data.pages.at(-1)?.waiting ?? 0;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-dim">{readText(newest.as_of, now)}</p>
        <FetchButton isFetching={isFetching} onClick={() => void refetchAudit(queries, choice)}>
          Look again
        </FetchButton>
      </div>
      {error && !isFetchNextPageError && <ReadFailure error={error} />}
      {waiting > 0 && (
        <p role="alert" className="text-warning">
          Not complete: {waiting === 1 ? '1 event is' : `${waiting} events are`} not written yet, because the disk of
          Lookout’s server refuses.
        </p>
      )}
      {entries.length > 0 && (
        <ol
          aria-label="Audit, newest first"
          className="divide-y divide-line rounded-card border border-line bg-surface"
        >
          {entries.map((entry) => (
            <AuditItem key={entry.id} entry={entry} ago={agoText(entry.last, now)} />
          ))}
        </ol>
      )}
      <p role="status" className="text-dim">
        {auditExtentText({
          shown: entries.length,
          oldest: entries.at(-1)?.at,
          hasOlder: hasNextPage,
          keptDays: newest.kept_days,
          isFiltered: choice.operator !== '' || choice.kind !== '',
        })}
      </p>
      {error && isFetchNextPageError && <ReadFailure error={error} />}
      {hasNextPage && (
        <FetchButton isFetching={isFetching} onClick={() => void fetchNextPage()}>
          Show older
        </FetchButton>
      )}
    </>
  );
}

interface FetchButtonProps {
  readonly isFetching: boolean;
  readonly onClick: () => void;
  readonly children: string;
}

/** Not `disabled` meanwhile: the pressed button would lose the focus. */
function FetchButton({ isFetching, onClick, children }: FetchButtonProps) {
  return (
    <Button
      aria-disabled={isFetching}
      className="self-start aria-disabled:cursor-default aria-disabled:opacity-50"
      onClick={() => {
        if (!isFetching) onClick();
      }}
    >
      {children}
    </Button>
  );
}

function readText(asOf: string, now: UpstreamInstant | undefined): string {
  const ago = agoText(asOf, now);
  return `As of ${momentText(asOf, 'utc')}${ago === undefined ? '' : `, ${ago}`}. Times are in UTC.`;
}

interface AuditItemProps {
  readonly entry: AuditEntry;
  /** Age of the latest; `undefined` while unknown. */
  readonly ago: string | undefined;
}

/** The browser lays out only entries in view: there may be thousands. */
const AuditItem = memo(function AuditItem({ entry, ago }: AuditItemProps) {
  const { when, who, what, from } = auditItemText(entry);
  return (
    <li className="grid grid-cols-[10rem_minmax(0,8rem)_minmax(0,1fr)_minmax(0,9rem)] gap-x-4 gap-y-1 px-3 py-2 [contain-intrinsic-block-size:auto_52px] [content-visibility:auto] phone:grid-cols-1">
      <p>
        <time dateTime={entry.at} className="whitespace-nowrap font-mono text-table">
          {when}
        </time>
        <span className="block text-caption text-dim phone:inline phone:pl-2">{ago}</span>
      </p>
      <p className={classNames('break-words', entry.operator ? 'font-semibold' : 'text-dim')}>{who}</p>
      <div className="min-w-0 break-words">
        <p>{what}</p>
        {entry.request_id !== null && (
          <p className="text-caption text-dim">
            request <span className="font-mono break-all">{entry.request_id}</span>
          </p>
        )}
      </div>
      <p className="break-all font-mono text-dim text-table">
        <span className="sr-only">from </span>
        {from}
      </p>
    </li>
  );
});
