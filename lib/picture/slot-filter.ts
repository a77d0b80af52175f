import {
  activeCriteria,
  type FilteredMeasure,
  type FilteredRecord,
  isShown,
  type TrackFilter,
  verdictOn,
} from '#lib/filter/track-filter.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { MARK_EMERGENCY } from './mark-style.ts';
import type { TrackMoment } from './pictured-tracks.ts';

export interface SlotFilter {
  readonly verdict: (slot: number) => number;
  readonly isShown: (verdict: number) => boolean;
}

/**
 * The filter over slots, valid until the tracks change. `undefined` if everything is shown.
 * @param visible what the map shows, if known
 */
export function slotFilter(
  filter: TrackFilter,
  tracks: Pick<TrackMoment, 'columns' | 'labelAt'>,
  atMs: number,
  visible: Bbox | undefined,
): SlotFilter | undefined {
  if (activeCriteria(filter).length === 0) return undefined;
  const record = new SlotRecord(tracks);
  return {
    verdict(slot) {
      record.slot = slot;
      return verdictOn(filter, record, atMs, visible);
    },
    isShown: (verdict) => isShown(filter, verdict),
  };
}

/** All slots share one object: twenty thousand are filtered in a frame. */
class SlotRecord implements FilteredRecord {
  slot = 0;
  readonly #tracks: Pick<TrackMoment, 'columns' | 'labelAt'>;

  constructor(tracks: Pick<TrackMoment, 'columns' | 'labelAt'>) {
    this.#tracks = tracks;
  }

  get flags(): number {
    return this.#tracks.columns.style[this.slot] as number;
  }

  get observedAtMs(): number {
    return this.#tracks.columns.observedAtMs[this.slot] as number;
  }

  get lon(): number {
    return this.#tracks.columns.lon[this.slot] as number;
  }

  get lat(): number {
    return this.#tracks.columns.lat[this.slot] as number;
  }

  get isEmergency(): boolean {
    return (this.flags & MARK_EMERGENCY) !== 0;
  }

  get confidence(): string | undefined {
    return this.#tracks.labelAt(this.slot, 'confidence');
  }

  readonly measure = (name: FilteredMeasure): number => this.#tracks.columns[name][this.slot] as number;
}
