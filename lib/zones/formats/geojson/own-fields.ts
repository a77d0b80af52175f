import * as z from 'zod/mini';
import { type Rule, ruleSchema } from '../../rule.ts';
import { hoursSchema, shapeSchema, sourceSchema, verticalSchema, type ZoneContent } from '../../zone.ts';
import type { Position } from '../reading/coordinates.ts';
import { drawnGeometry } from './drawn-geometry.ts';

export const OWN_FIELDS = 'lookout_zone';

/** Degrees that storing six decimals moves a position. */
const MOVED_DEG = 2e-6;

export const ownFieldsSchema = z.strictObject({
  shape: shapeSchema,
  vertical: verticalSchema,
  hours: hoursSchema,
  rules: z.array(ruleSchema).check(z.maxLength(20)),
  source: sourceSchema,
});
export type OwnFields = z.infer<typeof ownFieldsSchema>;

export type ExportedZone = Pick<ZoneContent, 'shape' | 'vertical' | 'hours' | 'rules' | 'source'> & {
  readonly name: string;
};

export function ownFieldsOf({ shape, vertical, hours, rules, source }: ExportedZone): OwnFields {
  return { shape, vertical, hours, rules: rules.map(withoutId), source };
}

/** A rule of another Lookout or zone is new. */
export function withoutId({ id: _, ...rule }: Rule): Rule {
  return rule as Rule;
}

/** Otherwise another program edited it. */
export function isDrawnFrom(shape: OwnFields['shape'], geometry: unknown): boolean {
  const { type, coordinates } = (geometry ?? {}) as { type?: unknown; coordinates?: unknown };
  const drawn = drawnGeometry(shape);
  return type === drawn.type && isNear(drawn.coordinates, coordinates);
}

type Nested = number | Position[] | Position[][] | Position[][][] | Position;

function isNear(drawn: Nested, found: unknown): boolean {
  if (typeof drawn === 'number') return typeof found === 'number' && Math.abs(found - drawn) <= MOVED_DEG;
  if (!Array.isArray(found)) return false;
  // A third number is another program's height.
  const isPosition = typeof drawn[0] === 'number';
  if (isPosition ? found.length < drawn.length : found.length !== drawn.length) return false;
  return drawn.every((part, index) => isNear(part, found[index]));
}
