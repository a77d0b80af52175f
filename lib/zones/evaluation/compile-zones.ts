import Flatbush from 'flatbush';
import type { Bbox } from '#lib/geo/bbox.ts';
import { EARTH_RADIUS_M } from '#lib/geo/great-circle.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import type { Layer } from '#lib/model/position.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Ground } from '../ground/ground.ts';
import { groundOf } from '../ground/ground-of.ts';
import { ZoneHours } from '../zone-hours.ts';
import { shortHash } from './short-hash.ts';
import { NEAR_M } from './times.ts';
import type { WatchedRule, WatchedZone } from './transition.ts';
import { NEAR, TOUCHED, ZoneCells } from './zone-cells.ts';

export interface CompiledRule {
  readonly rule: WatchedRule;
  readonly zone: CompiledZone;
  /** Changes with shape, limits, hours and rule, but not with its destinations. */
  readonly print: string;
  /** 0: none. */
  readonly holdInMs: number;
  /** 0: none. Reached before the time, it opens at once. */
  readonly holdInM: number;
  /** Without, only time opens the alarm. */
  readonly opensByDepth: boolean;
  readonly holdOutMs: number;
  /** Positions that must agree before an alarm opens. */
  readonly positions: number;
}

export interface CompiledZone {
  readonly zone: WatchedZone;
  readonly ground: Ground;
  readonly hours: ZoneHours;
  readonly inside: readonly CompiledRule[];
  readonly ahead: readonly CompiledRule[];
  readonly closer: readonly CompiledRule[];
  readonly quiet: readonly CompiledRule[];
}

/** Compile again when a zone changes. */
export interface CompiledZones {
  readonly zones: ReadonlyMap<string, CompiledZone>;
  readonly rules: ReadonlyMap<string, CompiledRule>;
  /** Longest projection in seconds; 0 without one. */
  readonly aheadS: Readonly<Record<Layer, number>>;
  readonly hasCloser: boolean;
  readonly cells: ZoneCells;
  /** In degrees; may start west of -180° or end east of 180°. */
  readonly near: (west: number, south: number, east: number, north: number) => readonly CompiledZone[];
}

export function compileZones(zones: readonly WatchedZone[]): CompiledZones {
  const compiled = zones.map(compileZone);
  const rules = compiled.flatMap(({ inside, ahead, closer, quiet }) => [...inside, ...ahead, ...closer, ...quiet]);
  const aheadS = (layer: Layer) =>
    Math.max(
      0,
      ...rules.map(({ rule }) => (rule.kind === 'about_to_enter' && rule.layers.includes(layer) ? rule.within_s : 0)),
    );
  return {
    zones: new Map(compiled.map((zone) => [zone.zone.id, zone])),
    rules: new Map(rules.map((rule) => [rule.rule.id, rule])),
    aheadS: { rid: aheadS('rid'), adsb: aheadS('adsb') },
    hasCloser: compiled.some(({ closer }) => closer.length > 0),
    ...indexed(compiled),
  };
}

function compileZone(zone: WatchedZone): CompiledZone {
  const lists = { inside: [], ahead: [], closer: [], quiet: [] } as Record<
    'inside' | 'ahead' | 'closer' | 'quiet',
    CompiledRule[]
  >;
  const compiled = { zone, ground: groundOf(zone.shape), hours: new ZoneHours(zone.hours), ...lists };
  const facts = JSON.stringify([zone.shape, zone.vertical, zone.hours]);
  for (const rule of zone.rules) {
    const longerS = rule.kind === 'inside_longer' ? rule.longer_s : 0;
    lists[listOf(rule.kind)].push({
      rule,
      zone: compiled,
      print: shortHash(facts + JSON.stringify({ ...rule, notify: undefined, escalate: undefined })),
      holdInMs: Math.max(rule.hold_s, longerS) * SECOND_MS,
      // Half: every zone has a core that is deep enough.
      holdInM: Math.min(rule.hold_m, compiled.ground.depthM / 2),
      opensByDepth: rule.kind !== 'inside_longer' && (rule.hold_m > 0 || rule.hold_s === 0),
      holdOutMs: rule.hold_out_s * SECOND_MS,
      positions: rule.kind === 'emergency' ? 2 : 1,
    });
  }
  return compiled;
}

function listOf(kind: WatchedRule['kind']) {
  if (kind === 'about_to_enter') return 'ahead';
  if (kind === 'closer') return 'closer';
  return kind === 'nothing_received' ? 'quiet' : 'inside';
}

const NONE: readonly CompiledZone[] = [];

function indexed(zones: readonly CompiledZone[]): Pick<CompiledZones, 'near' | 'cells'> {
  const cells = new ZoneCells();
  for (const zone of zones) {
    cells.mark(grown(zone), NEAR);
    cells.mark(zone.closer.length > 0 ? grown(zone) : zone.ground.bbox, TOUCHED);
  }
  const boxes = zones.flatMap((zone) => splitAtAntimeridian(grown(zone)).map((box) => ({ zone, box })));
  if (boxes.length === 0) return { cells, near: () => NONE };
  const index = new Flatbush(boxes.length);
  for (const { box } of boxes) index.add(box.west, box.south, box.east, box.north);
  index.finish();
  const near: CompiledZones['near'] = (west, south, east, north) => {
    const found = index.search(Math.max(-180, west), south, Math.min(180, east), north);
    if (west < -180) found.push(...index.search(west + 360, south, 180, north));
    if (east > 180) found.push(...index.search(-180, south, east - 360, north));
    return found.length === 0 ? NONE : [...new Set(found.map((at) => boxes[at]?.zone as CompiledZone))];
  };
  return { cells, near };
}

function grown({ ground: { bbox }, closer }: CompiledZone): Bbox {
  const aroundM = Math.max(NEAR_M, ...closer.map(({ rule }) => (rule.kind === 'closer' ? rule.horizontal_m : 0)));
  const latDeg = (aroundM / EARTH_RADIUS_M) * (180 / Math.PI);
  const [south, north] = [Math.max(-90, bbox.south - latDeg), Math.min(90, bbox.north + latDeg)];
  const cosine = Math.cos((Math.max(Math.abs(south), Math.abs(north)) * Math.PI) / 180);
  const lonDeg = latDeg / Math.max(cosine, 1e-6);
  const widthDeg = (bbox.east - bbox.west + 360) % 360;
  if (widthDeg + 2 * lonDeg >= 360) return { west: -180, east: 180, south, north };
  const [west, east] = [bbox.west - lonDeg, bbox.east + lonDeg];
  return { west: west < -180 ? west + 360 : west, east: east > 180 ? east - 360 : east, south, north };
}
