import { type Bbox, lonSpanDeg } from '#lib/geo/bbox.ts';
import { destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { eastwardDeg, nearestCopy, shorterWayDeg, wrapLongitude } from '#lib/geo/longitude.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { heightM } from '../height-field.ts';
import { HEIGHT_STEP_M } from '../rule-kinds.ts';
import type { Run } from './alarms.ts';
import type { CompiledRule, CompiledZone } from './compile-zones.ts';
import { decide, type Received } from './decide.ts';
import {
  aheadLevel,
  insideLevel,
  type Level,
  meetsConditions,
  weakest,
  type ZoneAnswer,
  zoneAnswer,
} from './levels.ts';
import { quietReceived } from './quiet.ts';
import { decided, mayFollow, maySpend, refuse } from './suspension.ts';
import { FAR_APART_MS, SEGMENT_MAX_MS, TRACK_KEPT_MS } from './times.ts';
import type { Observation } from './transition.ts';
import { NEAR, TOUCHED } from './zone-cells.ts';
import { moveTrack, NO_PROGRESS, type Progress, progressKey, type Track, type ZoneState } from './zone-state.ts';

/** Keeps the answer's order, which is fast in memory. @returns positions that may concern rules */
export function receiveFarAway(run: Run, observations: readonly Observation[]): readonly Observation[] {
  const { state, zones } = run;
  const call = ++state.calls;
  const tracks = new Array<Track | undefined>(observations.length);
  for (let index = 0; index < observations.length; index++) {
    const { layer, position } = observations[index] as Observation;
    const track = state.tracks[layer].get(position.ref);
    // Several positions of one track need order of time.
    if (track?.call === call) return observations;
    if (track) track.call = call;
    tracks[index] = track;
  }
  const others: Observation[] = [];
  for (let index = 0; index < observations.length; index++) {
    const observation = observations[index] as Observation;
    const track = tracks[index];
    const { layer, position } = observation;
    const stepMs = track ? epochMs(position.observedAt) - state.places.atMs(track.slot) : 0;
    if (!track || track.progress.size > 0 || stepMs <= 0 || stepMs > FAR_APART_MS) {
      others.push(observation);
      continue;
    }
    startWay(position);
    const { places } = state;
    cover(nearestCopy(places.lon(track.slot), position.lon), places.lat(track.slot));
    coverAhead(zones.aheadS[layer], position);
    const around = zones.cells.around(way.west, way.south, way.east, way.north);
    if ((around & TOUCHED) !== 0) {
      others.push(observation);
      continue;
    }
    track.isNear = (around & NEAR) !== 0;
    move(run, track, position);
    if (track.isNear || track.isStored) run.tracks.push(track);
  }
  return others;
}

export function receive(run: Run, { layer, position }: Observation): void {
  const { state, zones } = run;
  const atMs = epochMs(position.observedAt);
  let track = state.tracks[layer].get(position.ref);
  if (track && atMs <= track.atMs) {
    run.late++;
    return;
  }
  const before = track && atMs - track.atMs <= FAR_APART_MS ? track.position : undefined;
  if (!track) {
    track = newTrack(state, layer, position);
    state.tracks[layer].set(position.ref, track);
  } else if (atMs - track.atMs > TRACK_KEPT_MS) {
    track.first = { lon: position.lon, lat: position.lat };
    track.firstMs = atMs;
  }
  move(run, track, position);

  startWay(position);
  if (before) cover(nearestCopy(before.lon, position.lon), before.lat);
  const { west, south, east, north } = way;
  coverAhead(zones.aheadS[layer], position);
  const near = zones.near(way.west, way.south, way.east, way.north);
  track.isNear = near.length > 0;
  run.tracks.push(track);
  if (near.length === 0 && track.progress.size === 0) return;

  const step = ++state.steps;
  for (const progress of track.progress.values()) {
    if (!progress.hasSuccessor) continue;
    progress.hasSuccessor = false;
    run.changed.add(progress);
  }
  const received: Received = { track, position, atMs, before };
  for (const zone of near) {
    for (const compiled of zone.ahead) decideOne(run, compiled, received, step);
    // Rules in progress are decided below.
    if (reaches(zone.ground.bbox, west, south, east, north)) decideZone(run, zone, received, step);
  }
  for (const progress of track.progress.values()) {
    const compiled = progress.step === step || progress.other ? undefined : zones.rules.get(progress.rule);
    if (compiled) decideRule(run, compiled, received, progress, step);
  }
  if (zones.hasPairs) decidePairs(run, near, received, step);
}

function move(run: Run, track: Track, position: Position): void {
  const { state } = run;
  moveTrack(state, track, position);
  if (track.atMs > state.clockMs) state.clockMs = track.atMs;
  state.nearby?.put(track);
}

function newTrack({ places }: ZoneState, layer: Layer, position: Position): Track {
  const { ref, lon, lat } = position;
  const firstMs = epochMs(position.observedAt);
  const first = { lon, lat };
  return {
    layer,
    ref,
    position,
    atMs: firstMs,
    slot: places.add(position),
    first,
    firstMs,
    progress: NO_PROGRESS,
    isNear: false,
    isStored: false,
    call: 0,
  };
}

/** In degrees; east may exceed 180. Reused, to save allocations. */
const way = { west: 0, south: 0, east: 0, north: 0 };

function startWay({ lon, lat }: Position): void {
  way.west = way.east = lon;
  way.south = way.north = lat;
}

function coverAhead(aheadS: number, position: Position): void {
  const { lon, speedMps, headingDeg } = position;
  if (aheadS === 0 || speedMps === undefined || headingDeg === undefined) return;
  const reached = destination(position, headingDeg, speedMps * aheadS);
  cover(nearestCopy(reached.lon, lon), reached.lat);
}

function cover(lon: number, lat: number): void {
  way.west = Math.min(way.west, lon);
  way.south = Math.min(way.south, lat);
  way.east = Math.max(way.east, lon);
  way.north = Math.max(way.north, lat);
}

/** Positions on an edge by rounding reach it. */
const ROUNDING_DEG = 1e-7;

function reaches(bbox: Bbox, west: number, south: number, east: number, north: number): boolean {
  if (bbox.south > north + ROUNDING_DEG || bbox.north < south - ROUNDING_DEG) return false;
  // Of two spans that meet, one begins in the other.
  return (
    eastwardDeg(bbox.west - ROUNDING_DEG, west) <= lonSpanDeg(bbox) + 2 * ROUNDING_DEG ||
    eastwardDeg(west, bbox.west - ROUNDING_DEG) <= east - west
  );
}

function decideZone(run: Run, zone: CompiledZone, moment: Received, step: number): void {
  const { track, position, atMs } = moment;
  let answer: ZoneAnswer | undefined;
  const answerOf = () => {
    answer ??= zoneAnswer(zone, position);
    return answer;
  };
  for (const compiled of zone.inside) decideOne(run, compiled, moment, step, answerOf);
  for (const compiled of zone.quiet) {
    if (!compiled.rule.layers.includes(track.layer)) continue;
    if (!maySpend(run, compiled, track, atMs, 1)) continue;
    const decide = () => quietReceived(run, compiled, track.layer, position, answerOf(), atMs);
    decided(run, compiled, track.layer, atMs, decide);
  }
}

function decideOne(
  run: Run,
  compiled: CompiledRule,
  moment: Received,
  step: number,
  answerOf?: () => ZoneAnswer,
): void {
  const { rule } = compiled;
  if (!rule.layers.includes(moment.track.layer)) return;
  const progress = moment.track.progress.get(rule.id);
  decideRule(run, compiled, moment, progress, step, answerOf);
}

function decideRule(
  run: Run,
  compiled: CompiledRule,
  moment: Received,
  progress: Progress | undefined,
  step: number,
  answerOf = () => zoneAnswer(compiled.zone, moment.position),
): void {
  const { track, position, before, atMs } = moment;
  if (progress) progress.step = step;
  if (!maySpend(run, compiled, track, atMs, 1)) return;
  decided(run, compiled, track.layer, atMs, () => {
    const answer = answerOf();
    const level = levelOf(compiled, position, answer);
    const levelBefore = (): Level =>
      before ? levelOf(compiled, before, zoneAnswer(compiled.zone, before)) : 'unknown';
    const isHeightUnknown = answer.height === 'flagged';
    decide(run, { ...moment, compiled, other: undefined, level, levelBefore, isHeightUnknown }, progress);
  });
}

function levelOf(compiled: CompiledRule, position: Position, answer: ReturnType<typeof zoneAnswer>): Level {
  return compiled.kind.decidesBy === 'projection'
    ? aheadLevel(compiled, position, answer)
    : insideLevel(compiled, position, answer);
}

/** Compares at the time of the other's last position: this track's last two positions must be close around it. */
function decidePairs(run: Run, near: readonly CompiledZone[], received: Received, step: number): void {
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
    for (const compiled of zone.pairs)
      decided(run, compiled, track.layer, atMs, () =>
        decideNeighbours(run, compiled, { ...received, before }, known.get(compiled.rule.id)),
      );
}

/** The cost of a look and of a comparison, as parts of a decision. */
const LOOK = 1 / 20;
const COMPARISON = 1 / 4;

function decideNeighbours(
  run: Run,
  compiled: CompiledRule,
  received: Received & { readonly before: Position },
  known: ReadonlySet<Track> | undefined,
): void {
  const { rule, apart } = compiled;
  const { track, position, before, atMs } = received;
  if (!apart || !rule.layers.includes(track.layer) || !run.state.nearby) return;
  const beforeMs = epochMs(before.observedAt);
  if (atMs - beforeMs > SEGMENT_MAX_MS) return;
  // Else the search would find none that it may follow.
  if (!mayFollow(run, compiled, track, atMs) || !maySpend(run, compiled, track, atMs, 1)) return;
  // The place of comparison is on the way from the position before.
  const aroundM = apart.horizontalM + distanceM(before, position);
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

function pairLevel({ rule, zone, apart }: CompiledRule, { position, atMs, before }: Received, partner: Track): Level {
  if (!apart || !before) return 'unknown';
  const beforeMs = epochMs(before.observedAt);
  if (atMs - beforeMs > SEGMENT_MAX_MS || partner.atMs < beforeMs || partner.atMs > atMs) return 'unknown';
  if (![position, before, partner.position].every((one) => meetsConditions(rule, one))) return 'unknown';
  if (!isInside(zone, position) && !isInside(zone, partner.position)) return 'out';
  const share = (partner.atMs - beforeMs) / (atMs - beforeMs);
  const { horizontalM, verticalM, field } = apart;
  const level = apartLevel(distanceM(between(before, position, share), partner.position), horizontalM, rule.hold_out_m);
  if (verticalM === null || level === 'out') return level;
  const [from, to, height] = [before, position, partner.position].map((one) => heightM(one, field));
  if (from === undefined || to === undefined || height === undefined) return 'unknown';
  const stepM = rule.hold_out_m > 0 ? HEIGHT_STEP_M : 0;
  return weakest(level, apartLevel(Math.abs(from + share * (to - from) - height), verticalM, stepM));
}

function apartLevel(apartM: number, limitM: number, nearM: number): Level {
  if (apartM <= limitM) return 'in';
  return apartM < limitM + nearM ? 'near' : 'out';
}

function between(from: LonLat, to: LonLat, share: number): LonLat {
  return {
    lon: wrapLongitude(from.lon + share * shorterWayDeg(from.lon, to.lon)),
    lat: from.lat + share * (to.lat - from.lat),
  };
}
