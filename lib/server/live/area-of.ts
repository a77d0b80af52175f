import 'server-only';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { LiveArea } from './snapshots.ts';

export function areaOf(layer: Layer, bbox: Bbox): LiveArea {
  return { key: `${layer} ${formatBbox(bbox)}`, layer, bbox };
}
