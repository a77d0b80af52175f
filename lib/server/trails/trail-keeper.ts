import 'server-only';
import type { Position } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Area } from '../ports/snapshots.ts';
import { RECENT_LIMITS, RecentPositions } from './recent-positions.ts';
import { WatchedTimes } from './watched-times.ts';

/** What a refresh has read. */
interface ReadPositions {
  readonly positions: ReadonlyMap<string, Position>;
  /** On the upstream's clock. */
  readonly fetchedAt: UpstreamInstant;
}

/** What the refreshes of areas have read within the last minutes, here or at another server, and where and when. Requests nothing itself. */
export class TrailKeeper {
  readonly positions: RecentPositions;
  readonly watched: WatchedTimes;

  constructor(limits: typeof RECENT_LIMITS = RECENT_LIMITS) {
    this.positions = new RecentPositions(limits);
    this.watched = new WatchedTimes(limits.keptMs);
  }

  /** Keeps what a refresh has read. @param isComplete whether that is everything that the service had */
  keep(area: Area, { positions, fetchedAt }: ReadPositions, isComplete: boolean): void {
    this.positions.add(area.layer, positions.values(), fetchedAt);
    if (isComplete) this.watched.read(area, fetchedAt);
  }

  /** Something that was read of an area earlier than that is not here. */
  missed(area: Area, before: UpstreamInstant): void {
    this.watched.missed(area, before);
  }
}
