import { confidenceClass } from '#lib/model/confidence.ts';
import { heightBandOf } from '#lib/model/height-band.ts';
import type { Layer, Position } from '#lib/model/position.ts';

/** Height bands of a layer, with room. */
export const BANDS = 8;
/** 0: the main figures, then as `APART` of lib/api. */
export const CLASSES = 4;
export const KINDS = BANDS * CLASSES;

/** A position counts in one class and one band. */
export function kindOf(layer: Layer, position: Position): number {
  const band = heightBandOf(layer, layer === 'rid' ? position.heightAglM : position.altitudeM);
  return classOf(position) * BANDS + band;
}

function classOf({ simulated, testBroadcast, confidence }: Position): number {
  if (simulated) return 1;
  if (testBroadcast) return 2;
  return confidenceClass(confidence) === 'inconsistent' ? 3 : 0;
}
