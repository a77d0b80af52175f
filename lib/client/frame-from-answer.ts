import type { LiveAnswer, LiveLayer } from '#lib/api/live-answer.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { LayerFrame, LiveFrame } from './live-frame.ts';
import { recordColumns } from './record-columns.ts';

/** @param delayMs how long ago the server wrote `as_of` */
export function frameFromAnswer(answer: LiveAnswer, delayMs: number): LiveFrame {
  const { rid, adsb } = answer.layers;
  return {
    asOfMs: Date.parse(answer.as_of),
    delayMs,
    nextPollMs: answer.next_poll_ms,
    asked: box(answer.asked),
    covered: answer.covered.map(box),
    capped: answer.capped,
    layers: { ...(rid && { rid: layerFrame(rid) }), ...(adsb && { adsb: layerFrame(adsb) }) },
  };
}

function layerFrame(layer: LiveLayer): LayerFrame {
  const ms = (text: string | null) => (text === null ? undefined : Date.parse(text));
  return {
    state: layer.state,
    reason: layer.reason ?? undefined,
    fetchedAtMs: ms(layer.fetched_at),
    failingSinceMs: ms(layer.failing_since),
    untilMs: ms(layer.until),
    partial: layer.partial,
    unreadable: layer.unreadable,
    records: recordColumns(layer.records),
  };
}

function box([west, south, east, north]: readonly [number, number, number, number]): Bbox {
  return { west, south, east, north };
}
