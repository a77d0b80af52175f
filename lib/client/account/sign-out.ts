import { fetchLookout, LookoutRequestError } from '../request/fetch-lookout.ts';

/** Ends the session, and push in this browser. A session that has ended already is no failure. @throws LookoutRequestError */
export async function signOut(): Promise<void> {
  try {
    await fetchLookout('/api/session', { method: 'DELETE' });
  } catch (error) {
    if (!(error instanceof LookoutRequestError && error.kind === 'signed-out')) throw error;
  }
  // The server has ended push of this session; an earlier session of this browser may have made another.
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
  await import('./push-requests.ts').then(({ forgetPush }) => forgetPush()).catch(() => undefined);
}
