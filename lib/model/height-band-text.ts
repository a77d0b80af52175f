import { HEIGHT_BANDS, HEIGHT_UNKNOWN, type HeightBand, heightBandsOf } from './height-band.ts';
import { groupedNumber } from './measure-text.ts';
import type { Layer } from './position.ts';
import { LENGTH_UNIT, lengthIn, type UnitSystem } from './units.ts';

const FIELD = { height_agl_m: ' above ground', altitude_m: ' altitude' } as const;

/**
 * Bands that are added up, such as `below 120 m above ground`. Neighbours are one range.
 * @param ids of bands of the layer
 * @param isField whether it names the field
 */
export function bandsText(layer: Layer, ids: string, units: UnitSystem, isField: boolean): string {
  const indices = [...(heightBandsOf(layer, ids) ?? [])].sort((one, next) => one - next);
  const bands = indices.flatMap((index) => HEIGHT_BANDS[layer][index] ?? []);
  const ranges: Pick<HeightBand, 'floor_m' | 'ceiling_m'>[] = [];
  for (const { id, floor_m, ceiling_m } of bands) {
    const last = ranges.at(-1);
    if (id === HEIGHT_UNKNOWN) continue;
    if (last && last.ceiling_m === floor_m) ranges[ranges.length - 1] = { floor_m: last.floor_m, ceiling_m };
    else ranges.push({ floor_m, ceiling_m });
  }
  const metres = (value: number) => `${groupedNumber(Math.round(lengthIn(units, value)))} ${LENGTH_UNIT[units]}`;
  const texts = ranges.map(({ floor_m, ceiling_m }) => {
    if (floor_m === null) return ceiling_m === null ? 'of any known height' : `below ${metres(ceiling_m)}`;
    return ceiling_m === null ? `from ${metres(floor_m)}` : `${metres(floor_m)} to ${metres(ceiling_m)}`;
  });
  const field = bands[0] && texts.length > 0 ? [`${texts.join(' and ')}${isField ? FIELD[bands[0].field] : ''}`] : [];
  const unknown = bands.some(({ id }) => id === HEIGHT_UNKNOWN) ? ['of unknown height'] : [];
  return [...field, ...unknown].join(' and ');
}
