import type { IncomingHttpHeaders } from 'node:http';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** Polls come earlier by this part until one finds nothing new, which reveals the time of the change. */
const SEARCH_PART = 0.1;
/** Ten steps cover an interval. The rest allows for inexact clocks. */
const SEARCH_MAX = 15;
/** Follows drift once the time is known. */
const FOLLOW_PART = 0.04;
/** Delay after a poll that came too early. */
const AGAIN_PART = 0.1;
/** After so many, the writer has probably stopped. */
const AGAIN_MAX = 3;

/** When to poll next: each version of a file is read soon after it is written, not half an interval late on average. */
export class PollRhythm {
  readonly #intervalMs: number;
  #searched = 0;
  #isKnown = false;
  #unchanged = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** @returns ms from the start of this poll to the next */
  nextMs(isNew: boolean): number {
    if (!isNew) {
      this.#unchanged += 1;
      this.#searched = 0;
      this.#isKnown = this.#unchanged <= AGAIN_MAX;
      return this.#intervalMs * (this.#isKnown ? AGAIN_PART : 1);
    }
    this.#unchanged = 0;
    if (this.#isKnown) return this.#intervalMs * (1 - FOLLOW_PART);
    this.#searched += 1;
    return this.#intervalMs * (this.#searched > SEARCH_MAX ? 1 : 1 - SEARCH_PART);
  }
}

/** After a longer gap the machine may have restarted with an old file. */
const GAP_MAX_MS = 30 * SECOND_MS;

/** Whether an answer differs from the last. */
export class AnswerChanges {
  #last: Uint8Array | undefined;
  #lastAt: UpstreamInstant | undefined;
  #writtenAt = '';
  #isWrittenFalse = false;

  /**
   * @param writtenAt in any form
   * @returns `first` also after a gap
   */
  next(body: Uint8Array, writtenAt: string, at: UpstreamInstant): 'same' | 'first' | 'other' {
    const isFirst = this.#lastAt === undefined || Math.abs(msBetween(this.#lastAt, at)) > GAP_MAX_MS;
    const isSame = this.#last !== undefined && Buffer.compare(this.#last, body) === 0;
    if (this.#last !== undefined && !isSame) this.#isWrittenFalse = writtenAt === this.#writtenAt;
    this.#last = body;
    this.#lastAt = at;
    this.#writtenAt = writtenAt;
    if (isSame) return 'same';
    return isFirst ? 'first' : 'other';
  }

  /** Whether two different answers claimed one time, so that these times mean nothing. */
  get isWrittenFalse(): boolean {
    return this.#isWrittenFalse;
  }
}

/** It holds an answer with a thousand aircraft. */
const FIRST_BYTES = 1024 * 1024;
/** It holds ten thousand aircraft with all of readsb's fields. */
const BODY_MAX_BYTES = 8 * FIRST_BYTES;

/** How long an answer may be. The limit grows only for an address whose answers proved to be long lists. */
export class BodyLimit {
  #bytes = FIRST_BYTES;

  get bytes(): number {
    return this.#bytes;
  }

  note(bytes: number, isReadable: boolean): void {
    if (!isReadable) this.#bytes = FIRST_BYTES;
    else if (bytes > this.#bytes / 2) this.#raise();
  }

  exceeded(head: Uint8Array): void {
    if (beginsAsList(head)) this.#raise();
  }

  #raise(): void {
    this.#bytes = Math.min(BODY_MAX_BYTES, this.#bytes * 2);
  }
}

const HEAD_BYTES = 4096;

function beginsAsList(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_BYTES)).toString('latin1');
  return /^(\xEF\xBB\xBF)?\s*[[{]/.test(text) && /"(aircraft|ac|drones|hex)"\s*:/.test(text);
}

/** Headers have whole seconds at both ends, and files are read up to a second late. */
const INEXACT_MS = 2 * SECOND_MS;

/**
 * How long ago an answer was written at least, by the server's clock alone; 0 if unknown.
 * @param isWrittenFalse its `last-modified` is meaningless
 */
export function writtenAgoMs(headers: IncomingHttpHeaders, isWrittenFalse: boolean): number {
  const ageMs = /^\d{1,9}$/.test(headers.age ?? '') ? Number(headers.age) * SECOND_MS : 0;
  const fileMs = Date.parse(headers.date ?? '') - Date.parse(headers['last-modified'] ?? '');
  const isFileKnown = !isWrittenFalse && fileMs > 0;
  return leastAgoMs(ageMs + (isFileKnown ? fileMs : 0));
}

export function leastAgoMs(measuredMs: number): number {
  return Math.max(0, measuredMs - INEXACT_MS);
}
