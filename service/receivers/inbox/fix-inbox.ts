/** Where several services put what their receivers hear, for the one that records. */
export interface FixInbox {
  /**
   * Resolves once the fixes would outlive the machine. Rejects if they may not; then they may be put again.
   * @param fixes how many there are
   */
  put(bytes: Uint8Array, fixes: number): Promise<void>;
  /** What was put and not removed, oldest first, except what has one of these numbers. Some of it, if it is much. */
  read(except: readonly number[]): Promise<InboxRow[]>;
  remove(ids: readonly number[]): Promise<void>;
}

export interface InboxRow extends Readonly<Record<string, unknown>> {
  readonly id: number;
  /** When it was put, ms since 1970, by a clock that all services share. */
  readonly at: number;
  readonly bytes: Uint8Array;
}
