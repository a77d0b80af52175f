import '../request/page-port.ts';
import { COMPACT_TRAILS_TYPE, trailsHeadSchema } from '#lib/api/trails-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { columnBuffers } from '#lib/codec/record-columns.ts';
import { DEGREE_STEPS, METRE_STEPS, toUnits } from '#lib/codec/steps.ts';
import { decodeTrails } from '#lib/codec/trails.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { Layer } from '#lib/model/position.ts';
import { arrived, fetchLookout } from '../request/fetch-lookout.ts';
import { servePage } from '../request/page-port.ts';
import { inflate } from '../request/stream-chunks.ts';
import type { LoadedTrails, TrailPlaces, TrailsFetch, TrailsReply } from './trails-client.ts';

const BODY_MAX_BYTES = 64 * 1024 * 1024;

/** Trails are decoded off the main thread, since a hundred thousand positions take several frames. */
servePage<TrailsFetch, TrailsReply>(async ({ address }, { id, signal, reply }) => {
  const response = await fetchLookout(address, { signal, headers: { accept: COMPACT_TRAILS_TYPE } });
  const trails = await readTrails(await arrived(response.arrayBuffer()));
  reply({ kind: 'trails', id, trails }, Object.values(trails.layers).flatMap(columnBuffers));
});

/**
 * Reads the compact form of `/api/trails`.
 * @throws Error if it is damaged, or of another version
 */
async function readTrails(answer: ArrayBuffer): Promise<LoadedTrails> {
  const { head: json, end } = splitHead(new Uint8Array(answer));
  const head = trailsHeadSchema.parse(json);
  const layers: Partial<Record<Layer, TrailPlaces>> = {};
  let at = end;
  for (const layer of ['rid', 'adsb'] as const) {
    const bytes = head.layers[layer]?.bytes;
    if (bytes === undefined) continue;
    if (at + bytes > answer.byteLength) throw new Error('the answer is truncated');
    layers[layer] = placesOf(await inflate(new Uint8Array(answer, at, bytes), BODY_MAX_BYTES));
    at += bytes;
  }
  return { head, layers };
}

function placesOf(body: Uint8Array): TrailPlaces {
  const { refs, starts, atMs, lon, lat, height } = decodeTrails(body);
  return {
    refs,
    starts,
    atMs,
    mercatorX: Float64Array.from(lon, (steps) => mercatorX(toUnits(steps, DEGREE_STEPS))),
    mercatorY: Float64Array.from(lat, (steps) => mercatorY(toUnits(steps, DEGREE_STEPS))),
    metres: Float64Array.from(height, (steps) => toUnits(steps, METRE_STEPS)),
  };
}
