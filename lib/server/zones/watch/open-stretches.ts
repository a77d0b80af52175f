import 'server-only';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { WatchedNote } from '#lib/zones/evaluation/transition.ts';
import { isReceptionReason, worsenedStretch } from '#lib/zones/stretches/watched-reception.ts';
import type { OpenStretch } from '../alarms/alarm-store.ts';

/** Small enough for a day's requests. */
const PIECE_MAX_MS = 10 * MINUTE_MS;

export interface ChangedStretches {
  readonly stretches: readonly OpenStretch[];
  /** Stored stretches that were noted as better are wrong in these times. */
  readonly worsened: readonly OpenStretch[];
}

/** Notes as stretches to store. */
export class OpenStretches {
  /** The latest of each zone and layer. */
  readonly #open = new Map<string, OpenStretch>();
  /** Not stored yet. */
  readonly #changed = new Map<string, OpenStretch[]>();
  #worsened: OpenStretch[] = [];

  constructor(latest: readonly OpenStretch[]) {
    for (const stretch of latest) this.#open.set(keyOf(stretch), stretch);
  }

  /** In pieces where history may have more. */
  extend({ from, to, ...about }: WatchedNote): void {
    const key = keyOf(about);
    const open = this.#open.get(key);
    if (open && epochMs(to) <= open.toMs) {
      this.#worsen(key, { ...about, fromMs: epochMs(from), toMs: epochMs(to) });
      return;
    }
    const isWhole = about.state === 'watched' || isReceptionReason(about.reason);
    const pieceMs = isWhole ? Number.POSITIVE_INFINITY : PIECE_MAX_MS;
    for (let atMs = epochMs(from); atMs < epochMs(to); ) {
      let last = this.#open.get(key);
      const goesOn = last?.toMs === atMs && last.state === about.state && last.reason === about.reason;
      if (!last || !goesOn || atMs - last.fromMs >= pieceMs) last = { ...about, fromMs: atMs, toMs: atMs };
      last.toMs = atMs = Math.min(epochMs(to), last.fromMs + pieceMs);
      this.#put(key, last);
    }
  }

  /** Since the last call. */
  take(): ChangedStretches {
    const stretches = [...this.#changed.values()].flat();
    const worsened = this.#worsened;
    this.#changed.clear();
    this.#worsened = [];
    return { stretches, worsened };
  }

  #put(key: string, stretch: OpenStretch): void {
    this.#open.set(key, stretch);
    const changed = this.#changed.get(key);
    if (!changed) this.#changed.set(key, [stretch]);
    else if (!changed.includes(stretch)) changed.push(stretch);
  }

  #worsen(key: string, worse: OpenStretch): void {
    this.#worsened.push(worse);
    const changed = this.#changed.get(key) ?? [];
    const open = this.#open.get(key);
    const known = open && !changed.includes(open) ? [open, ...changed] : changed;
    const all = known.flatMap((stretch) => worsenedStretch(stretch, worse));
    const last = all.at(-1);
    if (last) this.#open.set(key, last);
    this.#changed.set(key, all);
  }
}

function keyOf({ zoneId, layer }: Pick<OpenStretch, 'zoneId' | 'layer'>): string {
  return `${zoneId} ${layer}`;
}
