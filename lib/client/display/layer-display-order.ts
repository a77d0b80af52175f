import type { Layer } from '#lib/model/position.ts';

/** The order of the layers in bar, states and settings. */
export const LAYER_DISPLAY_ORDER = ['adsb', 'rid'] as const satisfies readonly Layer[];
