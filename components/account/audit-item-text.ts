import type { AuditEntry } from '#lib/api/people/audit-event.ts';
import { auditText } from '#lib/api/people/audit-text.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { parseInstant } from '#lib/time/instant.ts';
import { momentText } from './account-text.ts';

export interface AuditItemText {
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

interface AuditList {
  readonly shown: number;
  /** When the oldest shown entry happened; `undefined` if none is shown. */
  readonly oldest: string | undefined;
  readonly hasOlder: boolean;
  readonly keptDays: number;
  readonly isFiltered: boolean;
}

export function auditExtentText({ shown, oldest, hasOlder, keptDays, isFiltered }: AuditList): string {
  const kept = `Entries are deleted after ${keptDays === 1 ? 'a day' : `${keptDays} days`}.`;
  const choice = isFiltered ? ' of this choice' : '';
  if (oldest === undefined) return `Nothing${choice} is kept. ${kept}`;
  const entries = shown === 1 ? '1 entry' : `${shown} entries`;
  if (hasOlder) return `The newest ${entries}${choice}, back to ${momentText(oldest, 'utc')}. There are older ones.`;
  return `${shown === 1 ? 'The only entry' : `All ${entries}`}${choice} that ${shown === 1 ? 'is' : 'are'} kept. ${kept}`;
}
