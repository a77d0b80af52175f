import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type MergedStretch, mergedStretches, type StretchOfLayer } from './merged-stretches.ts';

export interface ZoneLedger<Zone> {
  readonly zone: Zone;
  readonly stretches: readonly StretchOfLayer[];
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Reads of several zones differ by less. */
const APART_MAX_MS = MINUTE_MS;

/**
 * `lost`: not read for any zone, for one reason; zones outside their hours don't count. `unwatched`: the rest, of
 * each zone.
 */
export function withoutLostLayers<Zone>(ledgers: readonly ZoneLedger<Zone>[]): {
  readonly lost: readonly StretchOfLayer[];
  readonly unwatched: readonly (MergedStretch & { readonly zone: Zone })[];
} {
  const all = ledgers.flatMap(({ stretches }) => stretches);
  const lost = [...Map.groupBy(all, ({ layer }) => layer).values()].flatMap(lostOf);
  const unwatched = ledgers.flatMap(({ zone, stretches }) => {
    const others = stretches.flatMap((stretch) =>
      subtracted(
        [stretch],
        lost.filter((each) => isLostIn(stretch, each)),
      ).map((span) => ({ ...stretch, ...span })),
    );
    return unwatchedOf(others).map((stretch) => ({ ...stretch, zone }));
  });
  return { lost, unwatched };
}

export function unwatchedOf(stretches: readonly StretchOfLayer[]): readonly MergedStretch[] {
  return mergedStretches(stretches).filter(({ state }) => state !== 'watched');
}

/** @param stretches of one layer, of all zones */
function lostOf(stretches: readonly StretchOfLayer[]): readonly StretchOfLayer[] {
  const unread = stretches.filter(({ state }) => state === 'not_watched');
  return [...Map.groupBy(unread, ({ reason }) => reason)].flatMap(([reason, its]) => {
    const others = stretches.filter((each) => each.state !== 'not_watched' || each.reason !== reason);
    const [first] = its;
    if (!first) return [];
    return subtracted(joined(its), joined(others)).flatMap(({ fromMs, toMs }) => {
      if (toMs - fromMs < APART_MAX_MS) return [];
      const over = its.filter((each) => each.fromMs < toMs && each.toMs > fromMs);
      const starts = over.map((each) => each.fromMs).filter((ms) => ms >= fromMs - APART_MAX_MS);
      const ends = over.map((each) => each.toMs).filter((ms) => ms <= toMs + APART_MAX_MS);
      return [{ ...first, fromMs: Math.min(fromMs, ...starts), toMs: Math.max(toMs, ...ends) }];
    });
  });
}

function isLostIn(stretch: StretchOfLayer, lost: StretchOfLayer): boolean {
  const { layer, state, reason, fromMs, toMs } = lost;
  const isSame = stretch.layer === layer && stretch.state === state && stretch.reason === reason;
  return isSame && stretch.fromMs < toMs && stretch.toMs > fromMs;
}

/** @returns in order, without overlaps */
function joined(spans: readonly Span[]): readonly Span[] {
  const found: Span[] = [];
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = found.at(-1);
    if (last && fromMs <= last.toMs) found[found.length - 1] = { ...last, toMs: Math.max(last.toMs, toMs) };
    else found.push({ fromMs, toMs });
  }
  return found;
}

/** Both in order, without overlaps. */
function subtracted(spans: readonly Span[], taken: readonly Span[]): readonly Span[] {
  let first = 0;
  return spans.flatMap(({ fromMs, toMs }) => {
    while ((taken[first]?.toMs ?? toMs) <= fromMs) first++;
    const rest: Span[] = [];
    let atMs = fromMs;
    for (let index = first; atMs < toMs; index++) {
      const next = taken[index];
      const endMs = Math.min(next?.fromMs ?? toMs, toMs);
      if (endMs > atMs) rest.push({ fromMs: atMs, toMs: endMs });
      atMs = next?.toMs ?? toMs;
    }
    return rest;
  });
}
