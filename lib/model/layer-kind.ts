import type { Layer, TrackKind } from './position.ts';

export const KIND_OF_LAYER: Readonly<Record<Layer, TrackKind>> = { rid: 'drone', adsb: 'aircraft' };

export const LAYER_OF_KIND: Readonly<Record<TrackKind, Layer>> = { drone: 'rid', aircraft: 'adsb' };

export const KIND_TEXT: Readonly<Record<TrackKind, string>> = { aircraft: 'Aircraft', drone: 'Drone' };
