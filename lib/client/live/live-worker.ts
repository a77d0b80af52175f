import '../request/page-port.ts';
import { COMPACT_LIVE_TYPE, POLL_WAIT_MAX_MS } from '#lib/api/compact-answer.ts';
import { columnBuffers } from '#lib/codec/record-columns.ts';
import { randomId } from '../browser/random-id.ts';
import { arrived, fetchLookout } from '../request/fetch-lookout.ts';
import { servePage } from '../request/page-port.ts';
import { CompactReader, type LiveFrame } from './compact-reader.ts';
import type { LiveFetch, LiveReply } from './live-client.ts';

const reader = new CompactReader();
/** Makes the server drop this page's previous view. */
const page = randomId();
/** Frames are read in sequence, since each answer builds on the previous one. */
let reading: Promise<unknown> = Promise.resolve();

/** Answers are decoded off the main thread, since thousands of positions take longer than a frame. */
servePage<LiveFetch, LiveReply>(async (request, { id, signal, reply }) => {
  const frame = await fetchFrame(request, id, signal);
  const transfer = Object.values(frame.layers).flatMap((layer) => layer.records.flatMap(columnBuffers));
  reply({ kind: 'frame', id, frame }, transfer);
});

async function fetchFrame(
  { address, bbox, centre, home, layers, acknowledged }: LiveFetch,
  id: number,
  signal: AbortSignal,
): Promise<LiveFrame> {
  const since = reader.since();
  const view = `${bbox} ${centre} ${home} ${layers}`;
  // A new view is answered at once, with what is known of it.
  const wait = since !== undefined && reader.hasAnswered(view) ? String(POLL_WAIT_MAX_MS) : undefined;
  const query = new URLSearchParams({
    bbox,
    centre,
    layers,
    page,
    ...(home && { home }),
    ...(since && { since }),
    ...(wait && { wait }),
  });
  const sentMs = performance.now();
  const response = await fetchLookout(`${address}?${query}`, { signal, headers: { accept: COMPACT_LIVE_TYPE } });
  const headerMs = performance.now();
  // as_of is set just before the headers are sent: neither the wait before nor the body's transfer counts.
  const delayMs = (heldMs: number) => Math.max(0, headerMs - sentMs - heldMs) / 2 + performance.now() - headerMs;
  const body = await arrived(response.arrayBuffer());
  return inSequence(() => {
    signal.throwIfAborted();
    return reader.read(body, { id, query: view, acknowledged, delayMs });
  });
}

function inSequence<T>(read: () => Promise<T>): Promise<T> {
  const result = reading.then(read);
  reading = result.catch(() => undefined);
  return result;
}
