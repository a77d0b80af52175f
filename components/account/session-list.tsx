'use client';

import type { SessionRow } from '#lib/api/people/account.ts';
import { sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { Button } from '../ui/button.tsx';
import { sessionText } from './account-text.ts';
import type { Change } from './change.tsx';

interface SessionListProps {
  readonly sessions: readonly SessionRow[];
  readonly address: string;
  readonly zone: ClockZone;
  readonly change: Change;
}

export function SessionList({ sessions, address, zone, change }: SessionListProps) {
  const end = ({ id, browser }: SessionRow) =>
    change.make(async () => {
      await sendToLookout('DELETE', `${address}/${id}`);
      return `The session of ${browser} was ended.`;
    });
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
            <Button disabled={change.isSending} onClick={() => end(session)} aria-label={`End ${session.browser}`}>
              End
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
