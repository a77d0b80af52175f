import 'server-only';

/**
 * How a count stands to the last one of its passkey:
 * - `went-on`: it is higher, or the passkey does not count and said 0 again
 * - `went-back`: it is not: the passkey may have been copied, and the last count stays
 * - `begun-anew`: the last one is lost; this one is the first of a new beginning
 */
export type PasskeyCount = 'went-on' | 'went-back' | 'begun-anew';

/**
 * How often each passkey was used, as its authenticator counts. Passkeys that several devices share do not count: they say 0 each time. Both methods
 * throw `ApiError` where it cannot be written.
 */
export interface PasskeyCounts {
  /** Begins anew with a passkey that was just made. */
  begin(id: string, count: number): Promise<void>;
  /** Atomic: of two answers with the same count one went on. */
  advance(id: string, count: number): Promise<PasskeyCount>;
}
