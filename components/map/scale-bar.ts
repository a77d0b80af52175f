import { EARTH_RADIUS_M } from '#lib/geo/great-circle.ts';

/** The largest unit whose length fits is used. */
export type ScaleUnit = 'metric' | 'imperial' | 'nautical';

export interface ScaleBar {
  readonly text: string;
  readonly widthPx: number;
}

export const SCALE_MAX_PX = 100;

const WORLD_PX_AT_ZOOM_0 = 512;
const STEPS = [5, 3, 2, 1];
const NM = { name: 'nm', metres: 1852 };
const UNITS = {
  metric: [
    { name: 'km', metres: 1000 },
    { name: 'm', metres: 1 },
  ],
  imperial: [
    { name: 'mi', metres: 1609.344 },
    { name: 'ft', metres: 0.3048 },
  ],
  nautical: [NM],
} as const;

export function scaleBar(latDeg: number, zoom: number, unit: ScaleUnit): ScaleBar {
  const worldM = 2 * Math.PI * EARTH_RADIUS_M * Math.cos((latDeg * Math.PI) / 180);
  const maxM = (worldM / (WORLD_PX_AT_ZOOM_0 * 2 ** zoom)) * SCALE_MAX_PX;
  const { name, metres } = UNITS[unit].find((one) => maxM >= one.metres) ?? UNITS[unit].at(-1) ?? NM;
  const digits = Math.floor(Math.log10(maxM / metres));
  const lead = maxM / metres / 10 ** digits;
  const step = STEPS.find((one) => one <= lead) ?? 1;
  const text = `${(step * 10 ** digits).toFixed(Math.max(0, -digits))}\u00a0${name}`;
  return { text, widthPx: (SCALE_MAX_PX * step) / lead };
}
