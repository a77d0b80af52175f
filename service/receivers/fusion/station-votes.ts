import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Fix } from '../fix.ts';
import type { FusedFeed } from './fused-feed.ts';
import { isReachable } from './gate.ts';
import { isRepetition, type SharedFix } from './shared-fix.ts';

/** A station counts for a track for so long after its latest fix. */
export const RECENT_REPORT_MS = 10 * SECOND_MS;
/** Fixes of one station that establish a new place, once the old one is silent. */
const BELIEVED_AFTER = 3;
/** A single contradiction is a decoding error, two within this are a disagreement. */
const DISAGREEMENT_WITHIN_MS = 10 * SECOND_MS;
/** A single station can't move a track that moved within this time. */
const DISAGREEMENT_SHOWN_MS = 60 * SECOND_MS;

/** The last report of one station. Times are those of fixes, ms since 1970. */
export interface StationReport {
  readonly feed: FusedFeed;
  fix: Fix;
  fixMs: number;
  agreedMs: number;
  differedMs: number;
}

/**
 * Which stations agree with the place that is served of a track. The track moves to a rival place with more stations,
 * or once the stations of the served place are silent.
 */
export class StationVotes {
  readonly #reports: StationReport[] = [];
  #rival: SharedFix | undefined;
  #rivalCount = 0;
  #movedMs = Number.NEGATIVE_INFINITY;
  #contradictedMs = Number.NEGATIVE_INFINITY;
  #disagreedMs = Number.NEGATIVE_INFINITY;

  get reports(): readonly Readonly<StationReport>[] {
    return this.#reports;
  }

  /** @returns whether the station repeats its last report */
  noteReport(feed: FusedFeed, fix: Fix, observedMs: number): boolean {
    const report = this.#reportOf(feed);
    if (report === undefined) {
      this.#reports.push({
        feed,
        fix,
        fixMs: observedMs,
        agreedMs: Number.NEGATIVE_INFINITY,
        differedMs: Number.NEGATIVE_INFINITY,
      });
      return false;
    }
    const isRepeated = isRepetition(report.fix, report.fixMs, fix, observedMs);
    // Only the first reading of an abandoned file has the right time.
    if (!isRepeated) {
      report.fix = fix;
      report.fixMs = observedMs;
    }
    return isRepeated;
  }

  /**
   * Every station that hears the track has reported up to this time.
   * @param sinceMs ignores stations without a fix since then
   */
  reportedByAllMs(observedMs: number, sinceMs: number): number {
    let minMs = Number.POSITIVE_INFINITY;
    for (const { fixMs } of this.#reports) {
      if (fixMs >= sinceMs && observedMs - fixMs <= RECENT_REPORT_MS && fixMs < minMs) minMs = fixMs;
    }
    return minMs;
  }

  /** Whether no other station sent the fix, or had any fix of the track shortly before. */
  isReportedByOne({ feeds, observedMs }: SharedFix): boolean {
    if (feeds.length > 1) return false;
    for (const { feed, fixMs } of this.#reports) {
      if (feed !== feeds[0] && observedMs - fixMs <= RECENT_REPORT_MS) return false;
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
    const report = this.#reportOf(feed);
    if (report && observedMs > report.agreedMs) report.agreedMs = observedMs;
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
      for (const report of this.#reports) report.differedMs = Number.NEGATIVE_INFINITY;
    }
    this.#rival = shared;
    this.#rivalCount += 1;
    for (const feed of shared.feeds) {
      const report = this.#reportOf(feed);
      if (report) report.differedMs = shared.observedMs;
    }
    return (isBetter && this.#rivalCount >= BELIEVED_AFTER) || this.#isBelieved(shared.observedMs);
  }

  move(observedMs: number): void {
    this.#movedMs = observedMs;
    this.#rival = undefined;
    for (const report of this.#reports) {
      const isElsewhere = isDiffering(report, observedMs);
      report.agreedMs = isElsewhere ? report.differedMs : Number.NEGATIVE_INFINITY;
      report.differedMs = Number.NEGATIVE_INFINITY;
    }
  }

  #reportOf(feed: FusedFeed): StationReport | undefined {
    for (const report of this.#reports) if (report.feed === feed) return report;
    return undefined;
  }

  #isBelieved(observedMs: number): boolean {
    const elsewhere = this.#elsewhere(observedMs);
    // A single station does not move it back: two transmitters with one name would make a mark jump.
    const hasJustMoved = observedMs - this.#movedMs < DISAGREEMENT_SHOWN_MS;
    let here = 0;
    for (const report of this.#reports) {
      if (observedMs - report.agreedMs > RECENT_REPORT_MS) continue;
      if (hasJustMoved || report.agreedMs > report.differedMs) here += 1;
    }
    return here === 0 ? elsewhere > 1 || this.#rivalCount >= BELIEVED_AFTER : elsewhere > here;
  }

  #elsewhere(observedMs: number): number {
    let count = 0;
    for (const report of this.#reports) if (isDiffering(report, observedMs)) count += 1;
    return count;
  }
}

function isDiffering(report: StationReport, observedMs: number): boolean {
  return report.differedMs > report.agreedMs && observedMs - report.differedMs <= RECENT_REPORT_MS;
}
