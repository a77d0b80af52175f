import * as z from 'zod/mini';
import { LAYERS } from '#lib/contract/operation.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs, instantOf } from '#lib/time/instant.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { type Ground, groundOf } from './ground.ts';
import { HEIGHT_FIELDS, HEIGHT_LIMITS_M, heightM } from './height-field.ts';
import { inLimits } from './rule.ts';
import { shapeSchema } from './zone.ts';

/**
 * A permit of a zone: until it ends, alarms for the traffic that it covers are recorded as expected, and not announced. A
 * permit for a track ends with its reference, which changes with each broadcast session. A permit without a track covers
 * every track of its layers in its volume, known or not.
 */
export const permitTerms = {
  layers: z.array(z.enum(LAYERS)).check(z.minLength(1)),
  /** null: every track of the layers. */
  track: z.nullable(z.strictObject({ layer: z.enum(LAYERS), ref: z.string().check(z.minLength(1), z.maxLength(256)) })),
  /** null: every alarm of the zone. */
  shape: z.nullable(shapeSchema),
  /** null: every height, known or not. With limits, an unknown height is not covered. */
  vertical: z.nullable(
    z
      .strictObject({
        field: z.enum(HEIGHT_FIELDS),
        floor_m: z.nullable(z.number().check(...inLimits(HEIGHT_LIMITS_M))),
        ceiling_m: z.nullable(z.number().check(...inLimits(HEIGHT_LIMITS_M))),
      })
      .check(
        z.refine(({ floor_m, ceiling_m }) => floor_m !== null || ceiling_m !== null, {
          error: 'has no limit: write null for every height',
        }),
        z.refine(({ floor_m, ceiling_m }) => floor_m === null || ceiling_m === null || floor_m <= ceiling_m, {
          error: 'has a floor above its ceiling',
        }),
      ),
  ),
  /** RFC 3339, by observed time; inclusive. */
  start: instantText,
  /** Exclusive. */
  end: instantText,
};
export const permitTermsSchema = z.strictObject(permitTerms);
export type PermitTerms = z.infer<typeof permitTermsSchema>;

/** The operational intent (ASTM F3548) that a permit is a volume of. A permit of another version is replaced. */
export const permitIntent = z.strictObject({
  id: z.uuid().check(z.toLowerCase()),
  version: z.int().check(z.gte(0)),
});
export type PermitIntent = z.infer<typeof permitIntent>;

/** Terms as the watch has them. */
export interface WatchedPermit extends PermitTerms {
  /** Of a permit that expects a flight, if none was received when it was read. */
  readonly awaited?: { readonly permit: string; readonly revision: number } | undefined;
}

/** A permit, prepared for many questions. */
export interface CompiledPermit {
  readonly terms: WatchedPermit;
  readonly ground: Ground | undefined;
  readonly startMs: number;
  readonly endMs: number;
}

/** @param terms with a shape without a `shapeProblem` */
export function compilePermit(terms: WatchedPermit): CompiledPermit {
  return {
    terms,
    ground: terms.shape ? groundOf(terms.shape) : undefined,
    startMs: epochMs(instantOf(terms.start)),
    endMs: epochMs(instantOf(terms.end)),
  };
}

/** The permits of a zone, the first to end first. */
export type CompiledPermits = readonly CompiledPermit[];

export function compilePermits(all: readonly WatchedPermit[]): CompiledPermits {
  return all.map(compilePermit).sort((one, next) => one.endMs - next.endMs);
}

/** Whether one of the permits covers the position. It looks at none that has ended, of which a day may have thousands. */
export function isPermitted(permits: CompiledPermits, layer: Layer, position: CoveredPosition): boolean {
  const atMs = epochMs(position.observedAt);
  let [from, to] = [0, permits.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (permits[middle]!.endMs <= atMs) from = middle + 1;
    else to = middle;
  }
  for (; from < permits.length; from++) if (coverageOf(permits[from]!, layer, position) === 'covered') return true;
  return false;
}

type CoveredPosition = Pick<Position, 'ref' | 'lon' | 'lat' | 'observedAt' | 'heightAglM' | 'altitudeM'>;

/** `height_unknown`: it would cover the position, if its height were known and within the limits. */
type Coverage = 'covered' | 'height_unknown' | 'not';

export function coverageOf(
  { terms: { track, layers, vertical }, ground, startMs, endMs }: CompiledPermit,
  layer: Layer,
  position: CoveredPosition,
): Coverage {
  const atMs = epochMs(position.observedAt);
  if (atMs < startMs || atMs >= endMs) return 'not';
  if (track ? track.layer !== layer || track.ref !== position.ref : !layers.includes(layer)) return 'not';
  const height = vertical ? heightM(position, vertical.field) : undefined;
  if (vertical && height !== undefined && !isWithin(vertical, height)) return 'not';
  // The shape is the last question: it may have 500 corners.
  if (ground && !ground.contains(position.lon, position.lat)) return 'not';
  return vertical && height === undefined ? 'height_unknown' : 'covered';
}

function isWithin({ floor_m, ceiling_m }: NonNullable<PermitTerms['vertical']>, height: number): boolean {
  return (floor_m === null || height >= floor_m) && (ceiling_m === null || height <= ceiling_m);
}
