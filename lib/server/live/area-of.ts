import 'server-only';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Area } from './snapshots.ts';

export function areaOf(layer: Layer, bbox: Bbox): Area {
  return { key: `${layer} ${formatBbox(bbox)}`, layer, bbox };
}
