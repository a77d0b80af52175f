import type { Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { Display } from '../display/display.ts';
import { ValueStore } from '../value-store.ts';
import { NOTHING_READ, type ReceivedTrack, read } from './measuring-reading.ts';
import { type MeasuringState, NOTHING_MEASURED } from './measuring-state.ts';

export class Measuring {
  readonly state = new ValueStore<MeasuringState>(NOTHING_MEASURED);
  /** The same object until something in it changes. */
  readonly reading = new ValueStore(NOTHING_READ);
  readonly #display: Pick<Display, 'tracks' | 'summary'>;
  readonly #last = new Map<string, Position>();
  #wasPast = false;

  constructor(display: Pick<Display, 'tracks' | 'summary' | 'subscribe'>) {
    this.#display = display;
    display.subscribe(() => this.#update());
    this.state.subscribe(() => this.#update());
  }

  readonly change = (by: (state: MeasuringState) => MeasuringState): boolean => {
    const before = this.state.get();
    this.state.set(by(before));
    return this.state.get() !== before;
  };

  #update(): void {
    const state = this.state.get();
    const { isPast, shownAt } = this.#display.summary();
    if (isPast !== this.#wasPast) this.#last.clear();
    this.#wasPast = isPast;
    const nowMs = shownAt === undefined ? 0 : epochMs(shownAt);
    const next = read(state, {
      isPast,
      trackOf: (ref) => this.#trackOf(ref, nowMs),
      lastOf: (ref) => this.#last.get(ref),
    });
    // Compared by value: map, strip and table redraw only what changed.
    if (JSON.stringify(next) !== JSON.stringify(this.reading.get())) this.reading.set(next);
  }

  #trackOf(ref: string, nowMs: number): ReceivedTrack | undefined {
    const { tracks } = this.#display;
    const slot = tracks.slotOf(ref);
    if (slot === undefined) return undefined;
    const position = tracks.positionAt(slot);
    this.#last.set(ref, position);
    return { position, expired: nowMs >= (tracks.columns.expiresAtMs[slot] as number) };
  }
}
