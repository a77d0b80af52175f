import type { ExpressionSpecification } from 'maplibre-gl';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import type { FeatureLayers } from '../feature-layers.ts';

const SOURCE = 'gaps';
const HATCH = 'gap-hatch';

const HATCH_IMAGE_PX = 32;
const HATCH_STRIPE_PX = 3;
/** Image pixels per CSS pixel. */
const HATCH_PIXEL_RATIO = 2;

const IS_BOX: ExpressionSpecification = ['==', ['geometry-type'], 'Polygon'];

const colours = {
  dark: { amber: '#ffb224', rgb: [255, 178, 36], halo: '#0b1118' },
  light: { amber: '#a85f00', rgb: [168, 95, 0], halo: '#ffffff' },
} as const;

/** Boxes below the marks, labels on top. */
export const GAP_LAYERS: FeatureLayers = {
  source: SOURCE,
  layers(theme) {
    const { amber, halo } = colours[theme];
    return {
      below: [
        {
          id: HATCH,
          type: 'fill',
          source: SOURCE,
          filter: IS_BOX,
          paint: { 'fill-pattern': HATCH, 'fill-opacity': 0.35 },
        },
        {
          id: 'gap-edge',
          type: 'line',
          source: SOURCE,
          filter: IS_BOX,
          paint: { 'line-color': amber, 'line-width': 1.5, 'line-dasharray': [4, 2] },
        },
      ],
      above: [
        {
          id: 'gap-labels',
          type: 'symbol',
          source: SOURCE,
          filter: ['!', IS_BOX],
          layout: {
            'text-field': ['get', 'text'],
            'text-font': [LABEL_FONT],
            'text-size': 12,
            'text-anchor': 'top-right',
            'text-offset': [-0.6, 0.5],
            'text-max-width': 40,
            // Shown over any other labels.
            'text-allow-overlap': true,
          },
          paint: { 'text-color': amber, 'text-halo-color': halo, 'text-halo-width': 2 },
        },
      ],
    };
  },
  images: (theme) => [
    {
      id: HATCH,
      image: hatchImage(HATCH_IMAGE_PX, HATCH_STRIPE_PX, colours[theme].rgb),
      options: { pixelRatio: HATCH_PIXEL_RATIO },
    },
  ],
};

/** Stripes from lower left to upper right, as RGBA rows from the top. */
export function hatchImage(
  sizePx: number,
  stripePx: number,
  [red, green, blue]: readonly [number, number, number],
): { width: number; height: number; data: Uint8Array } {
  const data = new Uint8Array(sizePx * sizePx * 4);
  for (let row = 0; row < sizePx; row++) {
    for (let column = 0; column < sizePx; column++) {
      const across = Math.abs(((row + column + 1) % sizePx) - sizePx / 2) * Math.SQRT1_2;
      const inside = Math.min(1, Math.max(0, stripePx / 2 - across + 0.5));
      data.set([red, green, blue, Math.round(inside * 255)], (row * sizePx + column) * 4);
    }
  }
  return { width: sizePx, height: sizePx, data };
}
