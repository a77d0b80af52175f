import { replayLayer } from '#lib/client/replay/replay-layer.fixture.ts';
import type { ReplayGap } from '#lib/client/replay/replay-summary.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

export const START_MS = Date.UTC(2026, 10, 21, 10);
const basel: Bbox = { west: 7, south: 47, east: 8, north: 48 };
export const fiji: Bbox = { west: 178, south: -19, east: -179, north: -16 };

export function gap(fromMinute: number, toMinute: number, bbox = basel): ReplayGap {
  const at = (minute: number) => upstreamInstant(START_MS + minute * MINUTE_MS);
  return { bbox, start: at(fromMinute), end: at(toMinute), reason: 'too_dense' };
}

export function layers(gaps: Partial<Record<Layer, readonly ReplayGap[]>>, on: readonly Layer[] = ['rid', 'adsb']) {
  const layer = (name: Layer) => replayLayer(name, { on: on.includes(name), gaps: gaps[name] ?? [] });
  return { layers: { rid: layer('rid'), adsb: layer('adsb') } };
}
