/// <reference lib="webworker" />
import '../request/zod-without-eval.ts';
import { COMPACT_LIVE_TYPE, POLL_WAIT_MAX_MS } from '#lib/api/compact-answer.ts';
import { API_ERRORS, errorAnswerSchema } from '#lib/api/error-code.ts';
import { columnBuffers } from '#lib/codec/record-columns.ts';
import { CompactReader } from './compact-reader.ts';
import type { LiveReply, LiveRequest } from './live-protocol.ts';

const worker = self as unknown as DedicatedWorkerGlobalScope;
const inFlight = new Map<number, AbortController>();
const reader = new CompactReader();
/** Makes the server drop this page's previous view. */
const page = crypto.randomUUID();
/** Read in sequence, since each answer builds on the previous one. */
let reading: Promise<unknown> = Promise.resolve();

/** Off the main thread: decoding thousands of positions takes longer than a frame. */
worker.onmessage = ({ data: message }: MessageEvent<LiveRequest>) => {
  if (message.kind === 'abort') inFlight.get(message.id)?.abort();
  else void answer(message);
};

type Fetch = Extract<LiveRequest, { kind: 'fetch' }>;

async function answer(request: Fetch): Promise<void> {
  const abort = new AbortController();
  inFlight.set(request.id, abort);
  try {
    const reply = await fetchFrame(request, abort.signal);
    const transfer =
      reply.kind === 'frame'
        ? Object.values(reply.frame.layers).flatMap((layer) => layer.records.flatMap(columnBuffers))
        : [];
    worker.postMessage(reply, transfer);
  } catch (error) {
    worker.postMessage({ kind: 'failed', id: request.id, message: String(error) } satisfies LiveReply);
  } finally {
    inFlight.delete(request.id);
  }
}

/** Lookout answers, but cannot read who is signed in. */
const DATABASE_LOST = 'database_lost';

async function fetchFrame(
  { id, address, bbox, centre, home, layers, acknowledged }: Fetch,
  signal: AbortSignal,
): Promise<LiveReply> {
  const since = reader.since();
  const view = `${bbox} ${centre} ${home} ${layers}`;
  // A new view is answered at once, with what is known of it.
  const wait = since !== undefined && reader.hasAnswered(view) ? String(POLL_WAIT_MAX_MS) : undefined;
  const query = new URLSearchParams({
    ...{ bbox, centre, layers, page },
    ...(home && { home }),
    ...(since && { since }),
    ...(wait && { wait }),
  });
  const sentMs = performance.now();
  const response = await fetch(`${address}?${query}`, {
    signal,
    headers: { accept: COMPACT_LIVE_TYPE },
    cache: 'no-store',
    redirect: 'error',
  });
  const headerMs = performance.now();
  // as_of is set just before the headers are sent: neither the wait before nor the body's transfer counts.
  const delayMs = (heldMs: number) => Math.max(0, headerMs - sentMs - heldMs) / 2 + performance.now() - headerMs;
  if (response.status === 401) return { kind: 'signed-out', id };
  if (response.status === API_ERRORS[DATABASE_LOST] && (await codeOf(response)) === DATABASE_LOST)
    return { kind: 'database-lost', id };
  if (!response.ok) return { kind: 'failed', id, message: `status ${response.status}` };
  const body = await response.arrayBuffer();
  const frame = await inSequence(() => {
    signal.throwIfAborted();
    return reader.read(body, { id, query: view, acknowledged, delayMs });
  });
  return { kind: 'frame', id, frame };
}

async function codeOf(response: Response): Promise<string | undefined> {
  return errorAnswerSchema.safeParse(await response.json().catch(() => undefined)).data?.error.code;
}

function inSequence<T>(read: () => Promise<T>): Promise<T> {
  const result = reading.then(read);
  reading = result.catch(() => undefined);
  return result;
}
