'use client';

import { useEffect, useState } from 'react';
import { LookoutRequestError, sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import { failureMessage, noAnswerMessage } from '#lib/client/request/refusal-message.ts';

const USED = 'This address opens no wall. Each one works once: an admin can make another.';

function refusalText(error: unknown): string {
  const kind = error instanceof LookoutRequestError ? error.kind : undefined;
  if (kind === 'signed-out') return USED;
  return kind === 'unreachable' ? noAnswerMessage(': open the address again.') : failureMessage(error);
}

/** Opens a wall with the token of the address, and takes it out of the address and its history first. */
export function WallOpening() {
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    const token = window.location.hash.slice(1);
    window.history.replaceState(null, '', '/wall');
    if (token === '') return setRefusal(USED);
    sendToLookout('POST', '/api/session/wall', { token }).then(
      () => window.location.replace('/?wall'),
      (error: unknown) => setRefusal(refusalText(error)),
    );
  }, []);
  if (refusal === undefined) return <p role="status">Opening the wall…</p>;
  return (
    <>
      <p role="alert" className="text-bad">
        {refusal}
      </p>
      <a href="/?wall" className="underline">
        Back to the wall
      </a>
    </>
  );
}
