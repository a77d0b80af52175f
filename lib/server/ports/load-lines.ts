import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/** Loads of one operator that run at a time; the others of the same operator wait in line. */
export const RUNNING_MAX = 2;
/** Loads of one operator that wait: more than anybody has pages open. */
export const WAITING_MAX = 40;

/** What its page may want of a load. */
export interface SeekableLoad {
  /** As its page calls it, if it does. */
  readonly name: string | undefined;
  /** It goes outwards from another instant from now on. */
  seek(from: UpstreamInstant): void;
}

/** The place of one load in its operator's line. */
export interface PlaceInLine {
  /** Resolves when it has a place. Never rejects. */
  readonly entered: Promise<void>;
  /** 1 for the load that runs next; `undefined` once it may run. Means nothing before it has entered. */
  readonly place: number | undefined;
  /** Resolves when `place` changes next. */
  readonly moved: Promise<void>;
  /** Lets the next one run. Does nothing after the first call. */
  leave(): void;
}

/** The loads of all operators: each operator has a line of his own, so that nobody waits for the loads of another. */
export interface LoadLines {
  /** Of all operators, at this server. */
  readonly loads: { readonly running: number; readonly waiting: number };
  /**
   * @param signal leaves the line when aborted
   * @throws ApiError where the operator's line is full as far as is known here, or the signal's reason where it is aborted already
   */
  enter(operator: string, load: SeekableLoad, signal: AbortSignal): PlaceInLine;
  /** Moves the operator's load of that name, wherever it is. @returns false where there is none, or none can be found */
  seek(operator: string, name: string, from: UpstreamInstant): Promise<boolean>;
}
