import type { StyleImageMetadata } from 'maplibre-gl';

/** Icons of the layers, drawn here in place of a sprite: nothing is requested for them, and they take any colour. */
export const REGION_ICON = { dot: 'region-dot', arrow: 'region-arrow', shield: 'region-shield' } as const;

const PIXEL_RATIO = 2;

/** As MapLibre reads distance fields: the edge is at three quarters, and eight pixels are the whole range. */
const EDGE = 191;
const PER_PX = 255 / 8;

interface DrawnIcon {
  readonly id: string;
  readonly image: { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray };
  readonly options: Partial<StyleImageMetadata>;
}

/** Signed distance from a shape's edge in pixels, negative inside, with the middle of the icon at 0, 0. */
type Distance = (x: number, y: number) => number;

const dot: Distance = (x, y) => Math.hypot(x, y) - 4;

/** A triangle that points up. */
const arrow: Distance = (x, y) => Math.max(y - 4, (2 * Math.abs(x) - y - 5) / Math.sqrt(5));

const shield: Distance = (x, y) => {
  const [dx, dy] = [Math.abs(x) - 10, Math.abs(y) - 6];
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - 3;
};

export function regionIcons(): readonly DrawnIcon[] {
  const options = { pixelRatio: PIXEL_RATIO, sdf: true };
  return [
    { id: REGION_ICON.dot, image: drawn(24, 24, dot), options },
    { id: REGION_ICON.arrow, image: drawn(24, 24, arrow), options },
    {
      id: REGION_ICON.shield,
      image: drawn(36, 28, shield),
      options: { ...options, stretchX: [[12, 24]], stretchY: [[11, 17]], content: [6, 6, 30, 22] },
    },
  ];
}

function drawn(width: number, height: number, distance: Distance): DrawnIcon['image'] {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const px = distance(column + 0.5 - width / 2, row + 0.5 - height / 2);
      data[4 * (row * width + column) + 3] = EDGE - px * PER_PX;
    }
  }
  return { width, height, data };
}
