import { shorterWayDeg } from '#lib/geo/longitude.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Observation } from '../../sources/observation.ts';
import type { Fix } from '../fix.ts';
import type { FixCounts, FusedFeed } from './fused-feed.ts';
import { isReachable } from './gate.ts';
import { observationOfFix } from './served-observation.ts';
import { originRank, SharedFix } from './shared-fix.ts';
import { RECENT_REPORT_MS, StationVotes } from './station-votes.ts';

/** Fixes of a track and station that may wait: half a minute of them, which may arrive at once. */
const WAITING_MAX = 64;
/** Served fixes are remembered for so long, to recognise their repetitions by later stations. */
const RECENT_MS = 3 * SECOND_MS;
const RECENT_MAX = 32;
/** A station that sent one of so many served fixes usually hears the track. */
const USUAL_FIXES = 3;
/** A greater step back means that the track's clock was set. */
const TRACK_TIME_BACK_MS = 60 * SECOND_MS;
/** Above this speed, a fix further back on the course is an earlier one. */
const MOVING_MPS = 5;

export interface ReceivedFix {
  readonly feed: FusedFeed;
  readonly fix: Fix;
  readonly observedMs: number;
  readonly slackMs: number;
  readonly receivedMs: number;
  readonly isLate: boolean;
}

/** One aircraft or drone: decides which of its fixes are served, in what order, and for which stations they count. */
export class FusedTrack {
  readonly sourceId: string;
  readonly simulated: boolean;
  /** The feed that received it first. */
  readonly owner: FusedFeed;
  #latestFixMs = Number.NEGATIVE_INFINITY;
  #observation: Observation | undefined;
  readonly #votes = new StationVotes();
  readonly #waiting: SharedFix[] = [];
  readonly #recent: SharedFix[] = [];
  #served: SharedFix | undefined;
  readonly #servedMs: number[] = [];
  readonly #asServed: (observation: Observation) => Observation;

  constructor(
    sourceId: string,
    simulated: boolean,
    owner: FusedFeed,
    asServed: (observation: Observation) => Observation,
  ) {
    this.#asServed = asServed;
    this.sourceId = sourceId;
    this.simulated = simulated;
    this.owner = owner;
  }

  /** When its latest fix arrived, on our clock. */
  get latestFixMs(): number {
    return this.#latestFixMs;
  }

  /** The latest observation that was served. */
  get observation(): Observation | undefined {
    return this.#observation;
  }

  /** Its source no longer has it. A later fix brings it back. */
  withdraw(): void {
    this.#observation = undefined;
  }

  /** @returns the fix that waits to be settled, unless it is dropped or joins another */
  receive(received: ReceivedFix, holdMs: number): SharedFix | undefined {
    const { feed, fix, observedMs, slackMs, receivedMs } = received;
    this.#latestFixMs = receivedMs;
    if (this.#votes.noteReport(feed, fix, observedMs)) return this.#drop(feed, 'repeated');
    if (received.isLate) return this.#drop(feed, 'late');
    const known = this.#knownAs(received);
    if (known) {
      if (known.feeds.includes(feed)) return this.#drop(feed, 'repeated');
      // Observations never change, so the station counts for the next one.
      if (known.isSettled) {
        known.uncountAlone();
        this.#votes.agreeAt(feed, known.observedMs);
        return this.#drop(feed, 'shared');
      }
      known.join(feed, fix, observedMs, slackMs);
      this.#sortIn(known);
      return undefined;
    }
    if (this.#waitingOf(feed) >= WAITING_MAX) return this.#drop(feed, 'crowded');
    const shared = new SharedFix(feed, fix, observedMs, slackMs, receivedMs + holdMs);
    if (this.#served && isNotLater(shared, this.#served)) {
      this.#compare(shared, 'overtaken');
      return undefined;
    }
    this.#waiting.push(shared);
    this.#sortIn(shared);
    return shared;
  }

  /**
   * The latest fix that each usual station of the track has sent or passed. `undefined` before the first is served:
   * it may come from a wrong station.
   */
  ready(): SharedFix | undefined {
    const first = this.#waiting[0];
    if (first === undefined || this.#served === undefined) return undefined;
    const usualMs = this.#servedMs.length < USUAL_FIXES ? Number.NEGATIVE_INFINITY : this.#servedMs[0]!;
    const reportedByAllMs = this.#votes.reportedByAllMs(first.observedMs, usualMs);
    let ready: SharedFix | undefined;
    for (const shared of this.#waiting) {
      if (shared.observedMs > reportedByAllMs) break;
      ready = shared;
    }
    return ready;
  }

  /** Settles the waiting fixes up to `through`, in order of time. Fixes before `earliestMs` are too late. */
  settle(through: SharedFix, earliestMs: number, observed: Observation[]): void {
    while (!through.isSettled) {
      const shared = this.#waiting.shift()!;
      shared.settle();
      if (shared.observedMs < earliestMs) count(shared, 'late');
      else if (this.#isServed(shared)) observed.push(this.#serve(shared));
    }
  }

  #knownAs({ feed, fix, observedMs }: ReceivedFix): SharedFix | undefined {
    for (const shared of this.#waiting) if (shared.isSame(feed, fix, observedMs)) return shared;
    for (const shared of this.#recent) if (shared.isSame(feed, fix, observedMs)) return shared;
    return undefined;
  }

  #waitingOf(feed: FusedFeed): number {
    let count = 0;
    for (const { feeds } of this.#waiting) if (feeds[0] === feed) count += 1;
    return count;
  }

  #sortIn(shared: SharedFix): void {
    const waiting = this.#waiting;
    let index = waiting.indexOf(shared);
    while (index > 0 && isBefore(shared, waiting[index - 1]!)) {
      waiting[index] = waiting[index - 1]!;
      index -= 1;
    }
    waiting[index] = shared;
  }

  /** Whether the fix is served. If not, its stations' opinion is remembered. */
  #isServed(shared: SharedFix): boolean {
    const served = this.#served;
    if (served === undefined) return !this.#isOutvoted(shared);
    if (isNotLater(shared, served)) return this.#compare(shared, 'overtaken');
    const isOutranked =
      originRank(shared.fix) > originRank(served.fix) && shared.observedMs - served.observedMs <= RECENT_REPORT_MS;
    if (isOutranked) return this.#compare(shared, 'outranked');
    if (isReachable(served, shared)) return isEarlier(shared, served) ? this.#compare(shared, 'overtaken') : true;
    if (!this.#votes.moveTo(shared, originRank(shared.fix) < originRank(served.fix))) {
      count(shared, 'contradicted');
      return false;
    }
    this.#votes.move(shared.observedMs);
    return true;
  }

  /** Whether stations of other waiting fixes outvote it, before the first observation. */
  #isOutvoted(shared: SharedFix): boolean {
    if (this.#waiting.length === 0) return false;
    const isOutvoted = this.#waiting.some((other) => !isReachable(shared, other) && this.#isBacked(other, shared));
    if (isOutvoted) {
      this.#votes.moveTo(shared, false);
      count(shared, 'contradicted');
    }
    return isOutvoted;
  }

  #isBacked(one: SharedFix, other: SharedFix): boolean {
    const ranks = originRank(one.fix) - originRank(other.fix);
    return ranks === 0 ? this.#votesFor(one) > this.#votesFor(other) : ranks < 0;
  }

  #votesFor(shared: SharedFix): number {
    const feeds = new Set(shared.feeds);
    for (const other of this.#waiting) {
      if (isReachable(shared, other)) for (const feed of other.feeds) feeds.add(feed);
    }
    return feeds.size;
  }

  #compare(shared: SharedFix, cause: 'overtaken' | 'outranked'): false {
    if (isReachable(this.#served!, shared)) {
      this.#votes.agree(shared);
      count(shared, cause);
    } else {
      this.#votes.contradict(shared.observedMs);
      count(shared, 'contradicted');
    }
    return false;
  }

  #serve(shared: SharedFix): Observation {
    this.#votes.agree(shared);
    this.#remember(shared);
    const { feeds, observedMs, fix } = shared;
    for (const feed of feeds) feed.count(feed === feeds[0] ? 'observed' : 'shared');
    if (this.#votes.isReportedByOne(shared)) shared.countAlone();
    const { reports } = this.#votes;
    const disagree = this.#votes.disagreeAt(observedMs);
    this.#observation = this.#asServed(observationOfFix(fix, observedMs, this, reports, disagree));
    return this.#observation;
  }

  #remember(served: SharedFix): void {
    this.#served = served;
    this.#servedMs.push(served.observedMs);
    if (this.#servedMs.length > USUAL_FIXES) this.#servedMs.shift();
    this.#recent.push(served);
    while (this.#recent.length > RECENT_MAX || served.observedMs - this.#recent[0]!.observedMs > RECENT_MS) {
      this.#recent.shift();
    }
  }

  #drop(feed: FusedFeed, cause: keyof FixCounts): undefined {
    feed.count(cause);
    return undefined;
  }
}

function count(shared: SharedFix, cause: keyof FixCounts): void {
  for (const feed of shared.feeds) feed.count(cause);
}

/** The order of waiting fixes. Ties do not depend on arrival. */
function isBefore(a: SharedFix, b: SharedFix): boolean {
  if (a.observedMs !== b.observedMs) return a.observedMs < b.observedMs;
  const [one, other] = [a.fix, b.fix];
  return (originRank(one) - originRank(other) || one.lon - other.lon || one.lat - other.lat) < 0;
}

/** The track's own time counts more than reception. */
function isNotLater(shared: SharedFix, served: SharedFix): boolean {
  const [ownMs, servedMs] = [shared.fix.trackTimeMs, served.fix.trackTimeMs];
  const isOlder =
    ownMs !== undefined && servedMs !== undefined && ownMs < servedMs && servedMs - ownMs < TRACK_TIME_BACK_MS;
  return isOlder || shared.observedMs <= served.observedMs;
}

/**
 * Whether the fix is further back on the course, within the clocks' uncertainty: serving it would make the mark jump
 * back.
 */
function isEarlier(shared: SharedFix, served: SharedFix): boolean {
  if (shared.observedMs - served.observedMs > shared.slackMs + served.slackMs) return false;
  const { speedMps, headingDeg, lat, lon } = served.fix;
  if (speedMps === null || headingDeg === null || speedMps < MOVING_MPS) return false;
  if (shared.feeds.some((feed) => served.feeds.includes(feed))) return false;
  const course = (headingDeg * Math.PI) / 180;
  const eastDeg = shorterWayDeg(lon, shared.fix.lon) * Math.cos((lat * Math.PI) / 180);
  const northDeg = shared.fix.lat - lat;
  return eastDeg * Math.sin(course) + northDeg * Math.cos(course) <= 0;
}
