import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Fix } from '../fix.ts';
import type { FusedFeed } from './fused-feed.ts';
import { isReachable } from './gate.ts';
import type { SharedFix } from './shared-fix.ts';

/** For how long a station counts as hearing a track. */
export const HEARD_MS = 10 * SECOND_MS;
/** How many fixes from one station alone make a new place believed, when nobody hears the track at the old one. */
const BELIEVED_AFTER = 3;
/** Two contradictions within this are a disagreement; one alone is a message that was decoded wrong. */
const DISAGREEMENT_WITHIN_MS = 10 * SECOND_MS;
/** For how long a disagreement is reported, and no station alone moves a track that has just been moved. */
const DISAGREEMENT_SHOWN_MS = 60 * SECOND_MS;

/** One station's part in a track. Times are those of fixes, ms since 1970. */
export interface Hearing {
  readonly feed: FusedFeed;
  /** Its last fix, whatever came of it. */
  fix: Fix;
  fixMs: number;
  /** When a fix of it last agreed with where the track is served. */
  agreedMs: number;
  /** When a fix of it last agreed with those who have the track elsewhere. */
  differedMs: number;
}

/**
 * Which stations have a track where it is served, and which have it elsewhere. The track moves to where the others have it
 * once they are more, or once nobody else hears it.
 */
export class Parties {
  readonly hearings: Hearing[] = [];
  /** The last fix of those who have it elsewhere, and how many agreed in a row. */
  #rival: SharedFix | undefined;
  #rivalCount = 0;
  #movedMs = Number.NEGATIVE_INFINITY;
  #contradictedMs = Number.NEGATIVE_INFINITY;
  #disagreedMs = Number.NEGATIVE_INFINITY;

  hearingOf(feed: FusedFeed): Hearing | undefined {
    for (const hearing of this.hearings) if (hearing.feed === feed) return hearing;
    return undefined;
  }

  /**
   * Up to when all stations that hear the track at that time have sent what they heard, ms since 1970.
   * @param sinceMs a station that sent nothing since then does not count
   */
  heardByAllMs(observedMs: number, sinceMs: number): number {
    let minMs = Number.POSITIVE_INFINITY;
    for (const { fixMs } of this.hearings) {
      if (fixMs >= sinceMs && observedMs - fixMs <= HEARD_MS && fixMs < minMs) minMs = fixMs;
    }
    return minMs;
  }

  /** Whether at that time stations disagree, or one has the track at two places. */
  disagreeAt(observedMs: number): boolean {
    return observedMs - this.#disagreedMs < DISAGREEMENT_SHOWN_MS;
  }

  /** The stations have the track where it is served. */
  agree(shared: SharedFix): void {
    for (const feed of shared.feeds) this.agreeAt(feed, shared.observedMs);
  }

  agreeAt(feed: FusedFeed, observedMs: number): void {
    const hearing = this.hearingOf(feed);
    if (hearing && observedMs > hearing.agreedMs) hearing.agreedMs = observedMs;
  }

  /** The fix can't be of the track that is served. */
  contradict(observedMs: number): void {
    if (Math.abs(observedMs - this.#contradictedMs) <= DISAGREEMENT_WITHIN_MS) {
      this.#disagreedMs = Math.max(this.#disagreedMs, observedMs);
    }
    this.#contradictedMs = Math.max(this.#contradictedMs, observedMs);
  }

  /**
   * Adds a fix to those that have the track elsewhere. True if it is to be served there from now on.
   * @param isBetter it has a better origin than what is served: several stations may serve one measurement
   */
  moveTo(shared: SharedFix, isBetter: boolean): boolean {
    this.contradict(shared.observedMs);
    const rival = this.#rival;
    const continues = rival !== undefined && this.#elsewhere(shared.observedMs) > 0 && isReachable(rival, shared);
    if (!continues) {
      this.#rivalCount = 0;
      for (const hearing of this.hearings) hearing.differedMs = Number.NEGATIVE_INFINITY;
    }
    this.#rival = shared;
    this.#rivalCount += 1;
    for (const feed of shared.feeds) {
      const hearing = this.hearingOf(feed);
      if (hearing) hearing.differedMs = shared.observedMs;
    }
    return (isBetter && this.#rivalCount >= BELIEVED_AFTER) || this.#isBelieved(shared.observedMs);
  }

  /** The track is served where the others have it. */
  move(observedMs: number): void {
    this.#movedMs = observedMs;
    this.#rival = undefined;
    for (const hearing of this.hearings) {
      const isElsewhere = isDiffering(hearing, observedMs);
      hearing.agreedMs = isElsewhere ? hearing.differedMs : Number.NEGATIVE_INFINITY;
      hearing.differedMs = Number.NEGATIVE_INFINITY;
    }
  }

  #isBelieved(observedMs: number): boolean {
    const elsewhere = this.#elsewhere(observedMs);
    // A station that has just taken the track to another place does not take it back alone: two of one name would
    // make one mark jump between them.
    const hasJustMoved = observedMs - this.#movedMs < DISAGREEMENT_SHOWN_MS;
    let here = 0;
    for (const hearing of this.hearings) {
      if (observedMs - hearing.agreedMs > HEARD_MS) continue;
      if (hasJustMoved || hearing.agreedMs > hearing.differedMs) here += 1;
    }
    return here === 0 ? elsewhere > 1 || this.#rivalCount >= BELIEVED_AFTER : elsewhere > here;
  }

  #elsewhere(observedMs: number): number {
    let count = 0;
    for (const hearing of this.hearings) if (isDiffering(hearing, observedMs)) count += 1;
    return count;
  }
}

function isDiffering(hearing: Hearing, observedMs: number): boolean {
  return hearing.differedMs > hearing.agreedMs && observedMs - hearing.differedMs <= HEARD_MS;
}
