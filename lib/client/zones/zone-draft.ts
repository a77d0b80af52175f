import type { NewZone, Zone } from '#lib/api/watching/zones.ts';
import { bboxContains } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { LAYERS } from '#lib/model/position.ts';
import { type Rule, ruleSchema } from '#lib/zones/rule.ts';
import { kindOf, type RuleKind } from '#lib/zones/rule-kinds.ts';
import { shapeBox } from '#lib/zones/shape-box.ts';
import type { Landmark, ZoneContent, ZoneShape } from '#lib/zones/zone.ts';
import { ZONE_PRESETS, type ZonePresetName } from './zone-presets.ts';

export type ShapeType = ZoneShape['type'];

/** A zone while an operator writes it, before it is sent. */
export interface ZoneDraft extends Omit<ZoneContent, 'shape'> {
  /** `undefined` for a new zone. */
  readonly before: Zone | undefined;
  /** Of a new zone. */
  readonly preset: ZonePresetName;
  readonly name: string;
  readonly shared: boolean;
  readonly shapeType: ShapeType;
  /** `undefined` until it is drawn or typed. */
  readonly shape: ZoneShape | undefined;
  /** The half width of a corridor that is not drawn yet. */
  readonly halfWidthM: number;
  readonly isDrawing: boolean;
}

export function newDraft(preset: ZonePresetName = 'site'): ZoneDraft {
  const { shapeType, halfWidthM, vertical } = ZONE_PRESETS[preset];
  return {
    before: undefined,
    preset,
    name: '',
    shared: true,
    shapeType,
    shape: undefined,
    landmark: null,
    halfWidthM,
    isDrawing: false,
    vertical,
    hours: null,
    rules: [presetRule(preset)],
    source: null,
    history_requests_a_day: 0,
  };
}

/** The draft with rules, heights and type of shape of a preset. A shape that is drawn stays. */
export function withPreset(draft: ZoneDraft, preset: ZonePresetName): ZoneDraft {
  const { rules, vertical, shapeType, halfWidthM } = newDraft(preset);
  const changed = { ...draft, preset, rules, vertical };
  return draft.shape ? changed : { ...changed, shapeType, halfWidthM, isDrawing: false };
}

/** A new zone without a name has that of its preset, with a number where it is taken. @param taken names of other zones */
export function namedDraft(draft: ZoneDraft, taken: readonly string[]): ZoneDraft {
  if (draft.before || draft.name.trim() !== '') return draft;
  const { title } = ZONE_PRESETS[draft.preset];
  let name: string = title;
  for (let number = 2; taken.includes(name); number++) name = `${title} ${number}`;
  return { ...draft, name };
}

export function presetRule(preset: ZonePresetName): Rule {
  const { layers, hold } = ZONE_PRESETS[preset];
  return { ...newRule('entered'), layers: [...layers], ...hold };
}

export function zoneDraftOf(zone: Zone): ZoneDraft {
  const { name, shared, shape, landmark, vertical, hours, rules, source, history_requests_a_day } = zone;
  return {
    name,
    shared,
    shape,
    landmark,
    vertical,
    hours,
    rules,
    source,
    history_requests_a_day,
    before: zone,
    preset: 'site',
    shapeType: shape.type,
    halfWidthM: shape.type === 'Corridor' ? shape.half_width_m : ZONE_PRESETS.site.halfWidthM,
    isDrawing: false,
  };
}

/** The zone of a draft; `undefined` without a shape. */
export function zoneOf(draft: ZoneDraft): NewZone | undefined {
  const { shape, landmark, name, shared, vertical, hours, rules, source, history_requests_a_day } = draft;
  return shape && { name, shared, shape, landmark, vertical, hours, rules, source, history_requests_a_day };
}

/**
 * The draft with a new shape, which ends drawing.
 * @param landmark default: the one before, while the shape still goes around it
 */
export function withShape(
  draft: ZoneDraft,
  shape: ZoneShape,
  landmark: Landmark = isAround(shape, draft.landmark) ? draft.landmark : null,
): ZoneDraft {
  const halfWidthM = shape.type === 'Corridor' ? shape.half_width_m : draft.halfWidthM;
  return { ...draft, shape, landmark, shapeType: shape.type, halfWidthM, isDrawing: false };
}

function isAround(shape: ZoneShape, landmark: Landmark): boolean {
  const box = shapeBox(shape, 0);
  return landmark?.line.some(([lon, lat]) => bboxContains(box, lon, lat)) ?? false;
}

/** The draft with a type of shapes. Another type drops the shape. */
export function withShapeType(draft: ZoneDraft, shapeType: ShapeType): ZoneDraft {
  if (shapeType === draft.shapeType) return draft;
  return { ...draft, shapeType, shape: undefined, landmark: null, isDrawing: false };
}

export function withHalfWidth(draft: ZoneDraft, halfWidthM: number): ZoneDraft {
  const { shape } = draft;
  return { ...draft, halfWidthM, shape: shape?.type === 'Corridor' ? { ...shape, half_width_m: halfWidthM } : shape };
}

/** A rule with its defaults, as the server completes it. */
export function newRule(kind: RuleKind): Rule {
  return ruleSchema.parse({ kind, layers: [...LAYERS], ...kindOf({ kind }).starts });
}

/** Shapes of zones reach no pole. */
const LAT_MAX_DEG = 89;

/** The shape moved by degrees, with its holes. Its corners keep their differences in degrees. */
export function movedShape(shape: ZoneShape, byLonDeg: number, byLatDeg: number): ZoneShape {
  const lats = pointsOf(shape).map(([, lat]) => lat);
  const latDeg = Math.min(Math.max(byLatDeg, -LAT_MAX_DEG - Math.min(...lats)), LAT_MAX_DEG - Math.max(...lats));
  const moved = ([lon, lat]: readonly [number, number]): [number, number] => [
    wrapLongitude(lon + byLonDeg),
    lat + latDeg,
  ];
  switch (shape.type) {
    case 'Polygon':
      return roundedShape({ ...shape, coordinates: shape.coordinates.map((ring) => ring.map(moved)) });
    case 'Circle':
      return roundedShape({ ...shape, centre: moved(shape.centre) });
    case 'Corridor':
      return roundedShape({ ...shape, line: shape.line.map(moved) });
  }
}

function pointsOf(shape: ZoneShape): readonly (readonly [number, number])[] {
  switch (shape.type) {
    case 'Polygon':
      return shape.coordinates.flat();
    case 'Circle':
      return [shape.centre];
    case 'Corridor':
      return shape.line;
  }
}

/** A shape with coordinates to about 1 cm, and a radius to 0.1 m. */
export function roundedShape(shape: ZoneShape): ZoneShape {
  switch (shape.type) {
    case 'Polygon':
      return { ...shape, coordinates: shape.coordinates.map((ring) => ring.map(roundedPoint)) };
    case 'Circle':
      return { ...shape, centre: roundedPoint(shape.centre), radius_m: Math.round(shape.radius_m * 10) / 10 };
    case 'Corridor':
      return { ...shape, line: shape.line.map(roundedPoint) };
  }
}

function roundedPoint([lon, lat]: readonly [number, number]): [number, number] {
  return [Number(lon.toFixed(7)), Number(lat.toFixed(7))];
}

/** The places of a shape as `typedShape` reads them: one a line, without holes. */
export function shapePlaces(shape: ZoneShape): string {
  switch (shape.type) {
    case 'Polygon':
      return (shape.coordinates[0] ?? []).slice(0, -1).map(placeText).join('\n');
    case 'Circle':
      return placeText(shape.centre);
    case 'Corridor':
      return shape.line.map(placeText).join('\n');
  }
}

function placeText([lon, lat]: readonly [number, number]): string {
  return `${Number(lat.toFixed(6))}, ${Number(lon.toFixed(6))}`;
}
