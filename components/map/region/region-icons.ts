import type { StyleImageMetadata } from 'maplibre-gl';
import { type DistanceImage, distanceImage } from '../webgl/distance-image.ts';

export const REGION_ICON = { dot: 'region-dot', arrow: 'region-arrow', shield: 'region-shield' } as const;

const PIXEL_RATIO = 2;

interface DrawnIcon {
  readonly id: string;
  readonly image: DistanceImage;
  readonly options: Partial<StyleImageMetadata>;
}

type Distance = (x: number, y: number) => number;

const dot: Distance = (x, y) => Math.hypot(x, y) - 4;

const arrow: Distance = (x, y) => Math.max(y - 4, (2 * Math.abs(x) - y - 5) / Math.sqrt(5));

const shield: Distance = (x, y) => {
  const [dx, dy] = [Math.abs(x) - 10, Math.abs(y) - 6];
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - 3;
};

export function regionIcons(): readonly DrawnIcon[] {
  const options = { pixelRatio: PIXEL_RATIO, sdf: true };
  return [
    { id: REGION_ICON.dot, image: distanceImage(24, 24, dot), options },
    { id: REGION_ICON.arrow, image: distanceImage(24, 24, arrow), options },
    {
      id: REGION_ICON.shield,
      image: distanceImage(36, 28, shield),
      options: { ...options, stretchX: [[12, 24]], stretchY: [[11, 17]], content: [6, 6, 30, 22] },
    },
  ];
}
