/**
 * Calls `begin` once no other tab runs. Without the Web Locks API, which needs HTTPS, every tab runs.
 * @returns a function that lets another tab take over
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
    .catch(() => undefined);
  return () => ended.abort();
}
