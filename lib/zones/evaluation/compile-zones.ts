import Flatbush from 'flatbush';
import { type Bbox, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { grownBox } from '#lib/geo/grown-box.ts';
import { wrapEastEdge, wrapLongitude } from '#lib/geo/longitude.ts';
import { hash53 } from '#lib/model/hash53.ts';
import type { Layer } from '#lib/model/position.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type Ground, groundOf } from '../ground.ts';
import { type CompiledPermits, compilePermits } from '../permit.ts';
import { apartM, type KindRow, type KindTable, kindOf, type PairDistance } from '../rule-kinds.ts';
import { ZoneHours } from '../zone-hours.ts';
import { BOUNDS, type EvaluationBounds } from './tally.ts';
import { NEAR_M } from './times.ts';
import type { WatchedRule, WatchedZone } from './transition.ts';
import { NEAR, TOUCHED, ZoneCells } from './zone-cells.ts';

export interface CompiledRule {
  readonly rule: WatchedRule;
  readonly kind: KindRow;
  readonly zone: CompiledZone;
  /** Changes with shape, limits, hours and rule, but not with its destinations. */
  readonly print: string;
  /** Seconds that tracks are projected ahead; 0: not. */
  readonly projectedS: number;
  /** Only a rule that decides by pairs has it. */
  readonly apart: PairDistance | undefined;
  /** The watched time without a track that decides the rule; 0 where it does not. */
  readonly quietMs: number;
  /** The time inside after which an alarm opens; 0 where there is no hold. */
  readonly holdInMs: number;
  /** The depth in metres at which an alarm opens before `holdInMs` has passed; 0 where there is none. */
  readonly holdInM: number;
  /** Whether depth opens the alarm; otherwise only time does. */
  readonly opensByDepth: boolean;
  readonly holdOutMs: number;
  /** Positions that must agree before an alarm opens. */
  readonly positions: number;
  /** The error that set the rule aside; `undefined` where there is none. */
  readonly problem: unknown;
}

export interface CompiledZone {
  readonly zone: WatchedZone;
  readonly ground: Ground;
  /** The boxes of the zone with the range of its rules, in parts that don't cross 180°. */
  readonly around: readonly Bbox[];
  readonly hours: ZoneHours;
  readonly permits: CompiledPermits;
  readonly inside: readonly CompiledRule[];
  readonly ahead: readonly CompiledRule[];
  readonly pairs: readonly CompiledRule[];
  readonly quiet: readonly CompiledRule[];
}

/** Compile again when a zone changes. */
export interface CompiledZones {
  readonly zones: ReadonlyMap<string, CompiledZone>;
  readonly rules: ReadonlyMap<string, CompiledRule>;
  /** Longest projection in seconds; 0 without one. */
  readonly aheadS: Readonly<Record<Layer, number>>;
  readonly hasPairs: boolean;
  readonly bounds: EvaluationBounds;
  readonly cells: ZoneCells;
  /** In degrees; may start west of -180° or end east of 180°. */
  readonly near: (west: number, south: number, east: number, north: number) => readonly CompiledZone[];
}

/** @param before compiled zones that are the same object are kept */
export function compileZones(
  zones: readonly WatchedZone[],
  before?: CompiledZones,
  bounds: EvaluationBounds = BOUNDS,
  kinds?: KindTable,
): CompiledZones {
  const compiled = zones.map((zone) => {
    const known = before?.zones.get(zone.id);
    return known?.zone === zone ? known : compileZone(zone, kinds);
  });
  const rules = new Map<string, CompiledRule>();
  const aheadS = { rid: 0, adsb: 0 };
  for (const { inside, ahead, pairs, quiet } of compiled) {
    for (const list of [inside, ahead, pairs, quiet]) for (const one of list) rules.set(one.rule.id, one);
    for (const { rule, projectedS } of ahead)
      for (const layer of rule.layers) aheadS[layer] = Math.max(aheadS[layer], projectedS);
  }
  return {
    zones: new Map(compiled.map((zone) => [zone.zone.id, zone])),
    rules,
    aheadS,
    bounds,
    hasPairs: compiled.some(({ pairs }) => pairs.length > 0),
    cells: cellsOf(compiled, before),
    near: nearOf(compiled),
  };
}

/** The list of a zone in which a rule stands, by how it decides. */
const LIST_OF = { place: 'inside', projection: 'ahead', pairs: 'pairs', absence: 'quiet' } as const;

function compileZone(zone: WatchedZone, kinds: KindTable | undefined): CompiledZone {
  const lists: Record<'inside' | 'ahead' | 'pairs' | 'quiet', CompiledRule[]> = {
    inside: [],
    ahead: [],
    pairs: [],
    quiet: [],
  };
  const ground = groundOf(zone.shape);
  const around = splitAtAntimeridian(
    grownBox(ground.bbox, Math.max(NEAR_M, ...zone.rules.map((rule) => apartM(rule, kinds)))),
  );
  const compiled = {
    zone,
    ground,
    around,
    hours: new ZoneHours(zone.hours),
    permits: compilePermits(zone.permits),
    ...lists,
  };
  const facts = JSON.stringify([zone.shape, zone.vertical, zone.hours]);
  for (const rule of zone.rules) {
    const kind = kindOf(rule, kinds);
    lists[LIST_OF[kind.decidesBy]].push(compileRule(rule, kind, compiled, facts));
  }
  return compiled;
}

/** A rule that throws here is set aside at its first decision, as one that throws there. */
function compileRule(rule: WatchedRule, kind: KindRow, zone: CompiledZone, facts: string): CompiledRule {
  const hold = { holdInMs: 0, holdInM: 0, opensByDepth: false, holdOutMs: 0, positions: 1 };
  const none = { projectedS: 0, apart: undefined, quietMs: 0, ...hold };
  try {
    const insideS = kind.insideS?.(rule);
    return {
      rule,
      kind,
      zone,
      problem: undefined,
      print: shortHash(facts + JSON.stringify({ ...rule, notify: undefined, escalate: undefined })),
      projectedS: kind.decidesBy === 'projection' ? kind.projectedS(rule) : 0,
      apart: kind.decidesBy === 'pairs' ? kind.apart(rule) : undefined,
      quietMs: kind.decidesBy === 'absence' ? kind.quietS(rule) * SECOND_MS : 0,
      holdInMs: Math.max(rule.hold_s, insideS ?? 0) * SECOND_MS,
      // It is at most half of the depth: every zone has a core that is deep enough.
      holdInM: Math.min(rule.hold_m, zone.ground.depthM / 2),
      opensByDepth: insideS === undefined && (rule.hold_m > 0 || rule.hold_s === 0),
      holdOutMs: rule.hold_out_s * SECOND_MS,
      positions: kind.positions ?? 1,
    };
  } catch (problem) {
    return { ...none, rule, kind, zone, problem, print: shortHash(facts + rule.id) };
  }
}

function shortHash(text: string): string {
  return hash53(text).toString(36);
}

const NONE: readonly CompiledZone[] = [];

/** Added zones are marked in the cells before: a byte for each of 6 million is slow to make. */
function cellsOf(zones: readonly CompiledZone[], before: CompiledZones | undefined): ZoneCells {
  const kept = new Set(zones);
  const isAdded = before !== undefined && [...before.zones.values()].every((zone) => kept.has(zone));
  const cells = isAdded ? before.cells : new ZoneCells();
  for (const zone of zones) {
    if (isAdded && before.zones.get(zone.zone.id) === zone) continue;
    for (const box of zone.around) cells.mark(box, NEAR);
    for (const box of zone.pairs.length > 0 ? zone.around : [zone.ground.bbox]) cells.mark(box, TOUCHED);
  }
  return cells;
}

function nearOf(zones: readonly CompiledZone[]): CompiledZones['near'] {
  const boxes = zones.flatMap((zone) => zone.around.map((box) => ({ zone, box })));
  if (boxes.length === 0) return () => NONE;
  const index = new Flatbush(boxes.length);
  for (const { box } of boxes) index.add(box.west, box.south, box.east, box.north);
  index.finish();
  return (west, south, east, north) => {
    const found = index.search(Math.max(-180, west), south, Math.min(180, east), north);
    const beyond =
      west < -180
        ? index.search(wrapLongitude(west), south, 180, north)
        : east > 180
          ? index.search(-180, south, wrapEastEdge(east), north)
          : [];
    if (found.length + beyond.length === 0) return NONE;
    const zonesOf = (indexes: readonly number[]) => indexes.map((at) => boxes[at]?.zone as CompiledZone);
    return [...new Set([...zonesOf(found), ...zonesOf(beyond)])];
  };
}
