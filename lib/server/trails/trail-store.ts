import 'server-only';
import type { AreaEvent, AreaReads } from '../live/area-reads.ts';
import { ReadTimes } from './read-times.ts';
import { RECENT_LIMITS, RecentPositions } from './recent-positions.ts';

/** Requests nothing. */
export class TrailStore {
  readonly positions: RecentPositions;
  readonly times: ReadTimes;

  constructor(reads: AreaReads, limits: typeof RECENT_LIMITS = RECENT_LIMITS) {
    this.positions = new RecentPositions(limits);
    this.times = new ReadTimes(limits.keptMs);
    reads.subscribe((event) => this.#keep(event));
  }

  #keep(event: AreaEvent): void {
    const { area } = event;
    if (event.kind === 'missed') {
      this.times.missed(area, event.before);
      return;
    }
    this.positions.add(area.layer, event.positions.values(), event.readAt);
    const state = event.reception?.state;
    if (state === 'lost' || state === 'none') this.times.unheard(area);
    else if (event.isComplete) this.times.read(area, event.readAt);
  }
}
