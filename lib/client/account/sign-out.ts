import { fetchLookout, LookoutRequestError } from '../request/fetch-lookout.ts';

/** Ends the session. One that has ended already is no failure. @throws LookoutRequestError */
export async function signOut(): Promise<void> {
  try {
    await fetchLookout('/api/session', { method: 'DELETE' });
  } catch (error) {
    if (!(error instanceof LookoutRequestError && error.kind === 'signed-out')) throw error;
  }
}
