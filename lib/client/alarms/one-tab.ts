/**
 * Runs in one tab of this browser at a time: calls `begin` once this tab is the one. Without the Web Locks API, as on a page
 * without HTTPS, every tab is.
 * @returns what ends it, so that another tab takes over
 */
export function inOneTab(name: string, begin: () => void): () => void {
  const { locks } = navigator as { readonly locks?: LockManager };
  if (!locks) {
    begin();
    return () => undefined;
  }
  const ended = new AbortController();
  locks
    .request(name, { signal: ended.signal }, () => {
      begin();
      return new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()));
    })
    // Ended before it was this tab's turn.
    .catch(() => undefined);
  return () => ended.abort();
}
