import type { Layer } from '#lib/model/position.ts';

/** The order in which bar, states and settings name the layers. */
export const LAYER_DISPLAY_ORDER = ['adsb', 'rid'] as const satisfies readonly Layer[];
