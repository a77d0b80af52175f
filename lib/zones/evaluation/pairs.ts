import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { Run } from './alarms.ts';
import type { CompiledRule, CompiledZone } from './compile-zones.ts';
import { decide } from './decide.ts';
import { type Level, meetsConditions, weakest, zoneAnswer } from './levels.ts';
import type { Received } from './moment.ts';
import { decided, mayFollow, maySpend, refuse } from './suspension.ts';
import { SEGMENT_MAX_MS } from './times.ts';
import { HEIGHT_STEP_M, heightM } from './vertical.ts';
import { progressKey, type Track } from './zone-state.ts';

/** Compares at the time of the other's last position: this track's last two positions must be close around it. */
export function decidePairs(run: Run, near: readonly CompiledZone[], received: Received, step: number): void {
  const { track } = received;
  const known = new Map<string, Set<Track>>();
  for (const progress of [...track.progress.values()]) {
    const compiled = progress.other && run.zones.rules.get(progress.rule);
    if (!compiled || !progress.other) continue;
    progress.step = step;
    const partner = progress.track === track ? progress.other : progress.track;
    const partners = known.get(progress.rule);
    if (partners) partners.add(partner);
    else known.set(progress.rule, new Set([partner]));
    if (!maySpend(run, compiled, track, received.atMs, 1)) continue;
    decided(run, compiled, track.layer, received.atMs, () => decidePair(run, compiled, received, partner));
  }
  const { before, atMs } = received;
  if (!before) return;
  for (const zone of near)
    for (const compiled of zone.closer)
      decided(run, compiled, track.layer, atMs, () =>
        decideNeighbours(run, compiled, { ...received, before }, known.get(compiled.rule.id)),
      );
}

/** As parts of a decision. */
const LOOK = 1 / 20;
const COMPARISON = 1 / 4;

function decideNeighbours(
  run: Run,
  compiled: CompiledRule,
  received: Received & { readonly before: Position },
  known: ReadonlySet<Track> | undefined,
): void {
  const { rule } = compiled;
  const { track, position, before, atMs } = received;
  if (rule.kind !== 'closer' || !rule.layers.includes(track.layer) || !run.state.nearby) return;
  const beforeMs = epochMs(before.observedAt);
  if (atMs - beforeMs > SEGMENT_MAX_MS) return;
  // Else the search would find none that it may follow.
  if (!mayFollow(run, compiled, track, atMs) || !maySpend(run, compiled, track, atMs, 1)) return;
  // The place of comparison is on the way from the position before.
  const aroundM = rule.horizontal_m + distanceM(before, position);
  const neighbours: Track[] = [];
  let looked = 0;
  for (const other of run.state.nearby.within(position, aroundM)) {
    looked++;
    if (other === track || other.atMs < beforeMs || other.atMs > atMs || !rule.layers.includes(other.layer)) continue;
    if (known?.has(other)) continue;
    neighbours.push(other);
    if (neighbours.length <= run.zones.bounds.neighbours) continue;
    refuse(run, compiled, neighbours, track.layer, atMs);
    return;
  }
  if (!maySpend(run, compiled, track, atMs, looked * LOOK + neighbours.length * COMPARISON)) return;
  for (const other of neighbours)
    if (pairLevel(compiled, received, other) === 'in') decidePair(run, compiled, received, other);
}

function decidePair(run: Run, compiled: CompiledRule, received: Received, partner: Track): void {
  const { track: arrived, position, atMs } = received;
  const [track, other] = isFirst(arrived, partner) ? [arrived, partner] : [partner, arrived];
  const progress = track.progress.get(progressKey(compiled.rule.id, other));
  const level = pairLevel(compiled, received, partner);
  const levelBefore = (): Level => 'unknown';
  decide(
    run,
    { compiled, track, other, position, atMs, level, isHeightUnknown: false, before: undefined, levelBefore },
    progress,
  );
}

function isFirst(one: Track, other: Track): boolean {
  return one.layer === other.layer ? one.ref < other.ref : one.layer < other.layer;
}

function isInside(zone: CompiledZone, position: Position): boolean {
  const { isOnGround, height } = zoneAnswer(zone, position);
  return isOnGround && (height === 'inside' || height === 'flagged');
}

function pairLevel({ rule, zone }: CompiledRule, { position, atMs, before }: Received, partner: Track): Level {
  if (rule.kind !== 'closer' || !before) return 'unknown';
  const beforeMs = epochMs(before.observedAt);
  if (atMs - beforeMs > SEGMENT_MAX_MS || partner.atMs < beforeMs || partner.atMs > atMs) return 'unknown';
  if (![position, before, partner.position].every((one) => meetsConditions(rule, one))) return 'unknown';
  if (!isInside(zone, position) && !isInside(zone, partner.position)) return 'out';
  const share = (partner.atMs - beforeMs) / (atMs - beforeMs);
  const apart = apartLevel(
    distanceM(between(before, position, share), partner.position),
    rule.horizontal_m,
    rule.hold_out_m,
  );
  if (rule.vertical_m === null || apart === 'out') return apart;
  const [from, to, height] = [before, position, partner.position].map((one) => heightM(one, rule.field));
  if (from === undefined || to === undefined || height === undefined) return 'unknown';
  const stepM = rule.hold_out_m > 0 ? HEIGHT_STEP_M : 0;
  return weakest(apart, apartLevel(Math.abs(from + share * (to - from) - height), rule.vertical_m, stepM));
}

function apartLevel(apartM: number, limitM: number, nearM: number): Level {
  if (apartM <= limitM) return 'in';
  return apartM < limitM + nearM ? 'near' : 'out';
}

function between(from: LonLat, to: LonLat, share: number): LonLat {
  return {
    lon: wrapLongitude(from.lon + share * wrapLongitude(to.lon - from.lon)),
    lat: from.lat + share * (to.lat - from.lat),
  };
}
