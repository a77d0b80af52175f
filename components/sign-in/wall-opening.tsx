'use client';

import { useEffect, useState } from 'react';
import { fetchLookout } from '#lib/client/request/fetch-lookout.ts';

/** Opens a wall with the token of the address, and takes it out of the address and its history first. */
export function WallOpening() {
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    const token = window.location.hash.slice(1);
    window.history.replaceState(null, '', '/wall');
    if (token === '') return setRefused(true);
    fetchLookout('/api/session/wall', { method: 'POST', headers: { authorization: `Bearer ${token}` } }).then(
      () => window.location.replace('/?wall'),
      () => setRefused(true),
    );
  }, []);
  if (!isRefused) return <p role="status">Opening the wall…</p>;
  return (
    <>
      <p role="alert" className="text-bad">
        This address opens no wall. Each one works once: ask an admin for another.
      </p>
      <a href="/?wall" className="underline">
        Back to the wall of this browser
      </a>
    </>
  );
}
