import type { Layer } from '#lib/model/position.ts';

export const LAYER_DISPLAY_ORDER = ['adsb', 'rid'] as const satisfies readonly Layer[];
