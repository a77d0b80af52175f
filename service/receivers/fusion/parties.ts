import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Fix } from '../fix.ts';
import type { FusedFeed } from './fused-feed.ts';
import { isReachable } from './gate.ts';
import type { SharedFix } from './shared-fix.ts';

/** After its latest fix of a track. */
export const HEARD_MS = 10 * SECOND_MS;
/** Fixes of one station that establish a new place, once the old one is silent. */
const BELIEVED_AFTER = 3;
/** A single contradiction is a decoding error, two within this are a disagreement. */
const DISAGREEMENT_WITHIN_MS = 10 * SECOND_MS;
/** For as long, a single station can't move a track that has just moved. */
const DISAGREEMENT_SHOWN_MS = 60 * SECOND_MS;

/** Times are those of fixes, ms since 1970. */
export interface Hearing {
  readonly feed: FusedFeed;
  fix: Fix;
  fixMs: number;
  agreedMs: number;
  differedMs: number;
}

/** A track moves to a rival place with more stations, or once the served place is silent. */
export class Parties {
  readonly hearings: Hearing[] = [];
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
   * Every station that hears the track has reported up to this time.
   * @param sinceMs ignores stations without a fix since then
   */
  heardByAllMs(observedMs: number, sinceMs: number): number {
    let minMs = Number.POSITIVE_INFINITY;
    for (const { fixMs } of this.hearings) {
      if (fixMs >= sinceMs && observedMs - fixMs <= HEARD_MS && fixMs < minMs) minMs = fixMs;
    }
    return minMs;
  }

  /** No other station sent the fix, or had any fix of the track shortly before. */
  isHeardByOne({ feeds, observedMs }: SharedFix): boolean {
    if (feeds.length > 1) return false;
    for (const { feed, fixMs } of this.hearings) {
      if (feed !== feeds[0] && observedMs - fixMs <= HEARD_MS) return false;
    }
    return true;
  }

  disagreeAt(observedMs: number): boolean {
    return observedMs - this.#disagreedMs < DISAGREEMENT_SHOWN_MS;
  }

  agree(shared: SharedFix): void {
    for (const feed of shared.feeds) this.agreeAt(feed, shared.observedMs);
  }

  agreeAt(feed: FusedFeed, observedMs: number): void {
    const hearing = this.hearingOf(feed);
    if (hearing && observedMs > hearing.agreedMs) hearing.agreedMs = observedMs;
  }

  contradict(observedMs: number): void {
    if (Math.abs(observedMs - this.#contradictedMs) <= DISAGREEMENT_WITHIN_MS) {
      this.#disagreedMs = Math.max(this.#disagreedMs, observedMs);
    }
    this.#contradictedMs = Math.max(this.#contradictedMs, observedMs);
  }

  /**
   * @returns whether the track moves there
   * @param isBetter it has a better origin than the served one
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
    // A single station does not move it back: two transmitters with one name would make a mark jump.
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
