/// <reference lib="webworker" />
import '../request/zod-without-eval.ts';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { columnBuffers } from '#lib/codec/record-columns.ts';
import { CompactReader } from './compact-reader.ts';
import type { LiveReply, LiveRequest } from './live-protocol.ts';

const worker = self as unknown as DedicatedWorkerGlobalScope;
const underWay = new Map<number, AbortController>();
const reader = new CompactReader();
/** Tells this page from the operator's others, so that the view before this one is not asked for any more. */
const page = crypto.randomUUID();
/** Answers are read one after the other: each builds on what the one before left. */
let reading: Promise<unknown> = Promise.resolve();

/** Fetches and reads answers off the main thread: thousands of positions take longer to read than a frame may last. */
worker.onmessage = ({ data: message }: MessageEvent<LiveRequest>) => {
  if (message.kind === 'abort') underWay.get(message.id)?.abort();
  else void answer(message);
};

type Fetch = Extract<LiveRequest, { kind: 'fetch' }>;

async function answer(asked: Fetch): Promise<void> {
  const abort = new AbortController();
  underWay.set(asked.id, abort);
  try {
    const reply = await fetchFrame(asked, abort.signal);
    const transfer =
      reply.kind === 'frame'
        ? Object.values(reply.frame.layers).flatMap((layer) => layer.records.flatMap(columnBuffers))
        : [];
    worker.postMessage(reply, transfer);
  } catch (error) {
    worker.postMessage({ kind: 'failed', id: asked.id, message: String(error) } satisfies LiveReply);
  } finally {
    underWay.delete(asked.id);
  }
}

async function fetchFrame(
  { id, address, bbox, centre, layers, taken }: Fetch,
  signal: AbortSignal,
): Promise<LiveReply> {
  const since = reader.since();
  const query = new URLSearchParams({ bbox, centre, layers, page, ...(since === undefined ? {} : { since }) });
  const sentMs = performance.now();
  const response = await fetch(`${address}?${query}`, {
    signal,
    headers: { accept: COMPACT_LIVE_TYPE },
    cache: 'no-store',
    redirect: 'error',
  });
  // as_of is written just before the header leaves; the body's way is not part of the delay.
  const delayMs = (performance.now() - sentMs) / 2;
  const headerMs = performance.now();
  if (response.status === 401) return { kind: 'signed-out', id };
  if (!response.ok) return { kind: 'failed', id, message: `status ${response.status}` };
  const body = await response.arrayBuffer();
  const frame = await inTurn(() => {
    signal.throwIfAborted();
    const ageMs = delayMs + performance.now() - headerMs;
    return reader.read(body, { id, query: `${bbox} ${centre} ${layers}`, taken, delayMs: ageMs });
  });
  return { kind: 'frame', id, frame };
}

function inTurn<T>(read: () => Promise<T>): Promise<T> {
  const turn = reading.then(read);
  reading = turn.catch(() => undefined);
  return turn;
}
