import '../request/page-port.ts';
import { COMPACT_LIVE_TYPE, POLL_WAIT_MAX_MS } from '#lib/api/compact-answer.ts';
import { columnBuffers } from '#lib/codec/record-columns.ts';
import { acceptedAnswer, arrived, fetchLookout } from '../request/fetch-lookout.ts';
import { servePage } from '../request/page-port.ts';
import { CompactReader, type LiveFrame } from './compact-reader.ts';
import type { LiveQuery, SentAnswer } from './first-request.ts';
import type { LiveFetch, LiveReply } from './live-client.ts';

const reader = new CompactReader();
/** Frames are read in sequence, since each answer builds on the previous one. */
let reading: Promise<unknown> = Promise.resolve();

/** Answers are decoded off the main thread, since thousands of positions take longer than a frame. */
servePage<LiveFetch, LiveReply>(async (request, { id, signal, reply }) => {
  const frame = await fetchFrame(request, id, signal);
  const transfer = Object.values(frame.layers).flatMap((layer) => layer.records.flatMap(columnBuffers));
  reply({ kind: 'frame', id, frame }, transfer);
});

async function fetchFrame(
  { address, query, page, acknowledged, sent }: LiveFetch,
  id: number,
  signal: AbortSignal,
): Promise<LiveFrame> {
  const view = Object.values(query).join(' ');
  const { response, sentMs, headersMs } = sent
    ? await opened(sent)
    : await send(`${address}?${requestQuery(query, page, view)}`, signal);
  // as_of is set just before the headers are sent: neither the wait before nor the body's transfer counts.
  const delayMs = (heldMs: number) => Math.max(0, headersMs - sentMs - heldMs) / 2 + performance.now() - headersMs;
  const body = await arrived(response.arrayBuffer());
  return inSequence(() => {
    signal.throwIfAborted();
    return reader.read(body, { id, query: view, acknowledged, delayMs });
  });
}

function requestQuery({ home, ...query }: LiveQuery, page: string, view: string): URLSearchParams {
  const since = reader.since();
  // A new view is answered at once, with what is known of it.
  const wait = since !== undefined && reader.hasAnswered(view) ? String(POLL_WAIT_MAX_MS) : undefined;
  return new URLSearchParams({ ...query, page, ...(home && { home }), ...(since && { since }), ...(wait && { wait }) });
}

async function send(address: string, signal: AbortSignal) {
  const sentMs = performance.now();
  const response = await fetchLookout(address, { signal, headers: { accept: COMPACT_LIVE_TYPE } });
  return { response, sentMs, headersMs: performance.now() };
}

/** Times of the page become times of this worker. */
async function opened({ status, headers, body, sentAtMs, headersAtMs }: SentAnswer) {
  const { timeOrigin } = performance;
  const response = await acceptedAnswer(
    new Response(body, { status, headers: headers.map(([name, value]) => [name, value]) }),
  );
  return { response, sentMs: sentAtMs - timeOrigin, headersMs: headersAtMs - timeOrigin };
}

function inSequence<T>(read: () => Promise<T>): Promise<T> {
  const result = reading.then(read);
  reading = result.catch(() => undefined);
  return result;
}
