import 'server-only';
import type { AreaPart, CompactHead, Since } from '#lib/api/compact-answer.ts';
import { writeHead } from '#lib/codec/json-head.ts';
import { corners } from '#lib/geo/corners.ts';
import type { Layer } from '#lib/model/position.ts';
import type { LayerView, LiveView } from './live-view.ts';
import type { AreaBodies } from './snapshots.ts';

/** See lib/api/compact-answer.ts. @returns `isNew`: the viewer lacks some of the records */
export async function compactAnswer(
  view: LiveView,
  since: Since,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isNew: boolean }> {
  const bodies: Uint8Array[] = [];
  const layers: Partial<Record<Layer, CompactHead['layers']['rid']>> = {};
  for (const layer of ['rid', 'adsb'] as const) {
    const layerView = view.layers.get(layer);
    if (!layerView) continue;
    const parts: AreaPart[] = [];
    for (const part of layerView.parts) {
      const made = await part.snapshot.bodies(since.get(part.snapshot.name));
      bodies.push(...made.bodies);
      parts.push(areaPart(part, made));
    }
    layers[layer] = { ...layerView.answer, parts };
  }
  return { bytes: Buffer.concat([writeHead({ ...view.answer, layers }), ...bodies]), isNew: bodies.length > 0 };
}

function areaPart({ snapshot, regions }: LayerView['parts'][number], { deltas, bodies }: AreaBodies): AreaPart {
  return {
    area: snapshot.name,
    sequence: snapshot.sequence,
    deltas,
    bodies: bodies.map(({ byteLength }) => byteLength),
    regions: regions.map(corners),
  };
}
