/** Ends the session. Resolves to whether the server did so; never throws. */
export async function signOut(): Promise<boolean> {
  try {
    const answer = await fetch('/api/session', { method: 'DELETE' });
    // 401: there was no session any more, which is what was wanted.
    return answer.ok || answer.status === 401;
  } catch {
    return false;
  }
}
