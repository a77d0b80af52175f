'use client';

import type { SessionRow } from '#lib/api/people/account.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { Button } from '../ui/button.tsx';
import { sessionText } from './account-text.ts';

interface SessionListProps {
  readonly sessions: readonly SessionRow[];
  readonly zone: ClockZone;
  readonly isSending: boolean;
  readonly onEnd: (session: SessionRow) => void;
}

export function SessionList({ sessions, zone, isSending, onEnd }: SessionListProps) {
  return (
    <ul className="divide-y divide-line rounded-control border border-line">
      {sessions.map((session) => (
        <li key={session.id} className="flex items-center justify-between gap-3 px-3 py-2">
          <div className="min-w-0">
            <p className="font-medium">
              {session.browser}
              {session.current && <span className="text-dim"> · this one</span>}
            </p>
            <p className="break-words text-caption text-dim">{sessionText(session, zone)}</p>
          </div>
          {!session.current && (
            <Button disabled={isSending} onClick={() => onEnd(session)} aria-label={`End ${session.browser}`}>
              End
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
