import type { Colouring } from '#lib/model/mark-colour.ts';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { confidenceIndex } from './mark-style.ts';
import type { TrackColumns } from './track-columns.ts';

type ColouredColumns = Pick<TrackColumns, 'altitudeM' | 'heightAglM' | 'speedMps' | 'observedAtMs' | 'style'>;

/** @param nowMs epoch ms */
export function colouredValue(colouring: Colouring, columns: ColouredColumns, slot: number, nowMs: number): number {
  switch (colouring) {
    case 'altitude':
      // The reference of a drone's altitude is not stated.
      return ((columns.style[slot]! & FLAG_DRONE) === 0 ? columns.altitudeM : columns.heightAglM)[slot]!;
    case 'height':
      return columns.heightAglM[slot]!;
    case 'speed':
      return columns.speedMps[slot]!;
    case 'age':
      return (nowMs - columns.observedAtMs[slot]!) / 1000;
    case 'confidence':
      return confidenceIndex(columns.style[slot]!);
    case 'kind':
      return Number.NaN;
  }
}
