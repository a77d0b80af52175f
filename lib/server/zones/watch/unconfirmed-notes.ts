import 'server-only';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { WatchedNote } from '#lib/zones/evaluation/transition.ts';
import { RECEPTION_NOTICED_MS } from '#lib/zones/stretches/watched-reception.ts';

/**
 * Watched time that the evaluation must not take yet: a receiver that fell silent in it may still be reported. So
 * silence ends no alarm, and opens none, before its receivers are known to have been there.
 */
export class UnconfirmedNotes {
  /** By zone and layer, in order. */
  readonly #held = new Map<string, WatchedNote[]>();

  /** @param isReported whether the upstream reports its receivers @returns what can be evaluated, in order */
  add(note: WatchedNote, isReported: boolean): readonly WatchedNote[] {
    const key = `${note.zoneId} ${note.layer}`;
    const held = this.#held.get(key) ?? [];
    if (note.state === 'watched' && isReported) {
      this.#held.set(key, [...held, note]);
      return [];
    }
    this.#held.delete(key);
    return [...held.flatMap((each) => endedBy(each, note.from)), note];
  }

  /** @returns what can be evaluated by now */
  confirmed(now: UpstreamInstant): readonly WatchedNote[] {
    const confirmedMs = epochMs(now) - RECEPTION_NOTICED_MS;
    const all: WatchedNote[] = [];
    for (const [key, held] of this.#held) {
      const count = held.filter(({ to }) => epochMs(to) <= confirmedMs).length;
      if (count === 0) continue;
      all.push(...held.slice(0, count));
      if (count === held.length) this.#held.delete(key);
      else this.#held.set(key, held.slice(count));
    }
    return all;
  }
}

function endedBy(note: WatchedNote, end: UpstreamInstant): readonly WatchedNote[] {
  const to = upstreamInstant(Math.min(epochMs(note.to), epochMs(end)));
  return note.from < to ? [{ ...note, to }] : [];
}
