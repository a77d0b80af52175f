import type { WatchedNote } from './transition.ts';
import type { Watch } from './zone-state.ts';

export interface Stretch {
  readonly watch: Watch;
  readonly fromMs: number;
  readonly toMs: number;
  readonly isWatched: boolean;
  readonly reason: WatchedNote['reason'];
}

/** Keeps what is known already, except that time may turn out not to have been watched. */
export function extendWatch(watch: Watch, fromMs: number, toMs: number, isWatched: boolean): void {
  if (Number.isNaN(watch.untilMs)) {
    watch.untilMs = fromMs;
    addGap(watch, 0, fromMs);
  }
  if (fromMs > watch.untilMs) addGap(watch, watch.untilMs, fromMs);
  if (!isWatched) addGap(watch, fromMs, toMs);
  watch.untilMs = Math.max(watch.untilMs, toMs);
}

function addGap(watch: Watch, fromMs: number, toMs: number): void {
  const { gaps } = watch;
  const last = gaps.at(-1);
  if (!last || last[1] < fromMs) gaps.push([fromMs, toMs]);
  else if (last[0] <= fromMs) last[1] = Math.max(last[1], toMs);
  else {
    const over = gaps.filter(([start, end]) => start <= toMs && end >= fromMs);
    const joined: [number, number] = [
      Math.min(fromMs, ...over.map(([start]) => start)),
      Math.max(toMs, ...over.map(([, end]) => end)),
    ];
    watch.gaps = [...gaps.filter((gap) => !over.includes(gap)), joined].sort(([one], [other]) => one - other);
  }
}

/** Only fully watched time. */
export function watchedMs({ gaps }: Watch, fromMs: number, toMs: number): number {
  let watched = toMs - fromMs;
  for (let index = gaps.length - 1; index >= 0; index--) {
    const [start, end] = gaps[index] as [number, number];
    if (end <= fromMs) break;
    watched -= Math.max(0, Math.min(end, toMs) - Math.max(start, fromMs));
  }
  return watched;
}

/** `undefined`: fully watched then. */
export function unwatchedSince({ gaps }: Watch, atMs: number): number | undefined {
  const gap = gaps.findLast(([fromMs]) => fromMs < atMs);
  return gap && gap[1] >= atMs ? gap[0] : undefined;
}
