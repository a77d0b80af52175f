import type { VerticalMeasure } from './history-columns.ts';

export const VERTICAL_NAME: Readonly<Record<VerticalMeasure, string>> = {
  altitude: 'Altitude (reference not stated)',
  height: 'Height above ground, estimated',
};
