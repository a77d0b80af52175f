'use client';

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { memo, useId, useState } from 'react';
import { AUDIT_TEXT_MAX_LENGTH, type AuditEntry } from '#lib/api/people/audit-event.ts';
import { AUDIT_KIND_TEXT, auditText } from '#lib/api/people/audit-text.ts';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import {
  type AuditChoice,
  auditChoice,
  auditQuery,
  peopleQuery,
  refetchAudit,
} from '#lib/client/account/account-requests.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { PageFrame } from '../frame/page-frame.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { FIELD, FORM_GRID } from '../ui/form-fields.tsx';
import { agoText, momentText } from './account-text.ts';
import { ReadFailure, staysShown } from './page-parts.tsx';

interface AuditPageProps {
  readonly viewer: PageViewer;
  readonly choice: AuditChoice;
}

/** The audit, for admins: a choice of events, page by page. It never changes anything. */
export function AuditPage({ viewer, choice }: AuditPageProps) {
  return (
    <PageFrame viewer={viewer} title="Audit" path="/admin/audit">
      {() => <Audit opened={choice} />}
    </PageFrame>
  );
}

function Audit({ opened }: { readonly opened: AuditChoice }) {
  const [choice, setChoice] = useState(opened);
  const queries = useQueryClient();
  const { data, error } = useInfiniteQuery(auditQuery(choice));
  // Queries never reject here and below: the page shows their failures.
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
  const now = useNow();
  if (!newest) return null;
  const entries = data.pages.flatMap((page) => page.entries);
  const waiting = data.pages.at(-1)?.waiting ?? 0;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-dim">{readText(newest.as_of, now)}</p>
        <FetchButton isFetching={isFetching} onClick={() => void refetchAudit(queries, choice)}>
          Refresh
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

/** The button is not `disabled` while it reads: it would lose the focus. */
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
  /** The age of the entry's latest event; `undefined` while the time is not known. */
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

interface AuditChoiceFormProps {
  readonly choice: AuditChoice;
  /** The entries, whose operators are suggested too: some may have been removed. */
  readonly entries: readonly AuditEntry[];
  readonly onChoose: (choice: AuditChoice) => void;
}

function AuditChoiceForm({ choice, entries, onChoose }: AuditChoiceFormProps) {
  const { data } = useQuery({ ...peopleQuery(), refetchInterval: false });
  const [personId, listId, kindId] = [useId(), useId(), useId()];
  const names = new Map<string, string>();
  for (const { operator } of entries) if (operator) names.set(operator.id, operator.name);
  for (const { id, name } of data?.people ?? []) names.set(id, name);
  return (
    <form
      className={classNames(FORM_GRID, 'items-end')}
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(auditChoice(Object.fromEntries(new FormData(event.currentTarget))));
      }}
    >
      <div className="flex flex-col gap-1">
        <label htmlFor={personId} className="font-medium">
          Person
        </label>
        <input
          id={personId}
          name="operator"
          type="text"
          list={listId}
          defaultValue={choice.operator}
          placeholder="Everyone"
          maxLength={AUDIT_TEXT_MAX_LENGTH}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className={FIELD}
        />
        <datalist id={listId}>
          {[...names].map(([id, name]) => (
            <option key={id} value={id} label={id === name ? undefined : name} />
          ))}
        </datalist>
      </div>
      <div className="flex flex-col gap-1">
        <label htmlFor={kindId} className="font-medium">
          Kind of event
        </label>
        <select
          id={kindId}
          name="kind"
          defaultValue={choice.kind}
          onChange={(event) => event.currentTarget.form?.requestSubmit()}
          className={FIELD}
        >
          <option value="">Every kind</option>
          {Object.entries(AUDIT_KIND_TEXT).map(([kind, text]) => (
            <option key={kind} value={kind}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <Button type="submit" look="primary">
        Show
      </Button>
      <p className="text-caption text-dim">
        Of a person: what they did, and what was done to them. Names are matched whole. Entries that are only counted
        appear in every choice that they may belong to.
      </p>
    </form>
  );
}

interface AuditItemText {
  readonly when: string;
  readonly who: string;
  readonly what: string;
  readonly from: string;
}

export function auditItemText({ at, last, times, operator, address, event }: AuditEntry): AuditItemText {
  const repeated = times === 1 ? '' : `, ${times} times until ${timeText(last)}`;
  return {
    when: momentText(at, 'utc'),
    who: operator?.name ?? (event.kind === 'lost' ? 'unknown' : 'not signed in'),
    what: `${auditText(event)}${repeated}`,
    from: address ?? 'address not kept',
  };
}

function timeText(time: string): string {
  const at = parseInstant(time);
  return at === undefined ? 'an unknown time' : clockText(at, 'utc');
}

interface AuditExtent {
  readonly shown: number;
  /** When the oldest entry on the page happened; `undefined` without any. */
  readonly oldest: string | undefined;
  readonly hasOlder: boolean;
  readonly keptDays: number;
  readonly isFiltered: boolean;
}

export function auditExtentText({ shown, oldest, hasOlder, keptDays, isFiltered }: AuditExtent): string {
  const kept = `Entries are deleted after ${keptDays === 1 ? 'a day' : `${keptDays} days`}.`;
  const choice = isFiltered ? ' of this choice' : '';
  if (oldest === undefined) return `Nothing${choice} is kept. ${kept}`;
  const entries = shown === 1 ? '1 entry' : `${shown} entries`;
  if (hasOlder) return `The newest ${entries}${choice}, back to ${momentText(oldest, 'utc')}. There are older ones.`;
  return `${shown === 1 ? 'The only entry' : `All ${entries}`}${choice} that ${shown === 1 ? 'is' : 'are'} kept. ${kept}`;
}
