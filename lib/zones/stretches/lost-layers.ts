import type { Zone } from '#lib/api/watching/zones.ts';
import { epochMs, formatInstant, parseInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { LayerStretch, WatchedStretch } from '#lib/zones/alarm.ts';
import { mergedStretches, type StretchOfLayer } from '#lib/zones/merged-stretches.ts';

/** Not read for any zone, for one reason. */
export type LostLayer = Pick<LayerStretch, 'layer' | 'from' | 'to' | 'reason'>;

export interface UnwatchedStretch extends WatchedStretch {
  readonly zone: Pick<Zone, 'id' | 'name'>;
}

export interface ZoneLedger {
  readonly zone: UnwatchedStretch['zone'];
  readonly layers: readonly LayerStretch[];
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Reads of several zones differ by less. */
const APART_MAX_MS = MINUTE_MS;

/** Zones outside their hours don't count. */
export function withoutLostLayers(ledgers: readonly ZoneLedger[]): {
  readonly lost: readonly LostLayer[];
  readonly unwatched: readonly UnwatchedStretch[];
} {
  const zones = ledgers.map(({ zone, layers }) => ({ zone, stretches: layers.flatMap(inMs) }));
  const all = zones.flatMap(({ stretches }) => stretches);
  const lost = [...Map.groupBy(all, ({ layer }) => layer).values()].flatMap(lostOf);
  const unwatched = zones.flatMap(({ zone, stretches }) => {
    const others = stretches.flatMap((stretch) =>
      subtracted(
        [stretch],
        lost.filter((each) => isLostIn(stretch, each)),
      ).map((span) => ({ ...stretch, ...span })),
    );
    return mergedStretches(others).flatMap(({ state, reason, ...span }) =>
      state === 'watched' ? [] : [{ ...texts(span), state, reason, zone }],
    );
  });
  return { lost: lost.map(({ layer, reason, ...span }) => ({ layer, ...texts(span), reason })), unwatched };
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

function inMs({ layer, from, to, state, reason }: LayerStretch): readonly StretchOfLayer[] {
  const [start, end] = [parseInstant(from), parseInstant(to)];
  if (start === undefined || end === undefined) return [];
  return [{ layer, fromMs: epochMs(start), toMs: epochMs(end), state, reason }];
}

function texts({ fromMs, toMs }: Span): Pick<WatchedStretch, 'from' | 'to'> {
  return { from: formatInstant(upstreamInstant(fromMs)), to: formatInstant(upstreamInstant(toMs)) };
}
