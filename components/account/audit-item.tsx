'use client';

import { memo } from 'react';
import type { AuditEntry } from '#lib/api/people/audit-event.ts';
import { classNames } from '../ui/class-names.ts';
import { auditItemText } from './audit-item-text.ts';

interface AuditItemProps {
  readonly entry: AuditEntry;
  /** How long ago it happened last; `undefined` while that is not known. */
  readonly ago: string | undefined;
}

/** An entry of the audit. The browser lays out and draws only those in view: there may be thousands. */
export const AuditItem = memo(function AuditItem({ entry, ago }: AuditItemProps) {
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
