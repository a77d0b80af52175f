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
  const lostOfKind = new Map([...Map.groupBy(lost, kindOf)].map(([kind, its]) => [kind, joined(its)]));
  const unwatched = ledgers.flatMap(({ zone, stretches }) => {
    const others = [...Map.groupBy(stretches, kindOf)].flatMap(([kind, its]) => {
      const taken = lostOfKind.get(kind);
      const [first] = its;
      if (!taken || !first) return its;
      return subtracted(inOrder(its), taken).map((span) => ({ ...first, ...span }));
    });
    return unwatchedOf(others).map((stretch) => ({ ...stretch, zone }));
  });
  return { lost, unwatched };
}

function kindOf({ layer, state, reason }: StretchOfLayer): string {
  return `${layer} ${state} ${reason}`;
}

function inOrder<Each extends Span>(spans: readonly Each[]): readonly Each[] {
  return spans.toSorted((a, b) => a.fromMs - b.fromMs);
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
    const grown = withEdges(its);
    return subtracted(joined(its), joined(others)).flatMap((span) =>
      span.toMs - span.fromMs < APART_MAX_MS ? [] : [{ ...first, ...grown(span) }],
    );
  });
}

/**
 * Grows a span to the edges of the stretches in it that begin or end shortly before or after.
 * @returns what takes spans in order, without overlaps: each edge is looked at once or twice
 */
function withEdges(stretches: readonly Span[]): (span: Span) => Span {
  const starts = inOrder(stretches);
  const ends = stretches.toSorted((a, b) => a.toMs - b.toMs);
  let [start, end] = [0, 0];
  return (span) => {
    let { fromMs, toMs } = span;
    while ((starts[start]?.fromMs ?? span.fromMs) < span.fromMs - APART_MAX_MS) start++;
    for (let at = start; (starts[at]?.fromMs ?? span.fromMs) < span.fromMs; at++) {
      const each = starts[at] as Span;
      if (each.toMs > span.fromMs) fromMs = Math.min(fromMs, each.fromMs);
    }
    while ((ends[end]?.toMs ?? span.toMs) < span.toMs) end++;
    for (let at = end; (ends[at]?.toMs ?? Number.POSITIVE_INFINITY) <= span.toMs + APART_MAX_MS; at++) {
      const each = ends[at] as Span;
      if (each.fromMs < span.toMs) toMs = Math.max(toMs, each.toMs);
    }
    return { fromMs, toMs };
  };
}

/** @returns in order, without overlaps */
function joined(spans: readonly Span[]): readonly Span[] {
  const found: Span[] = [];
  for (const { fromMs, toMs } of inOrder(spans)) {
    const last = found.at(-1);
    if (last && fromMs <= last.toMs) found[found.length - 1] = { ...last, toMs: Math.max(last.toMs, toMs) };
    else found.push({ fromMs, toMs });
  }
  return found;
}

/** Both lists are in order, without overlaps. */
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
