/// <reference lib="webworker" />
import './zod-without-eval.ts';
import { liveAnswerSchema } from '#lib/api/live-answer.ts';
import { frameFromAnswer } from './frame-from-answer.ts';
import type { LiveReply, LiveRequest } from './live-protocol.ts';
import { columnBuffers } from './record-columns.ts';

const worker = self as unknown as DedicatedWorkerGlobalScope;
const underWay = new Map<number, AbortController>();

/**
 * Fetches and reads answers off the main thread: 20,000 positions of JSON take longer to parse than a frame may last.
 */
worker.onmessage = ({ data: message }: MessageEvent<LiveRequest>) => {
  if (message.kind === 'abort') underWay.get(message.id)?.abort();
  else void answer(message.id, message.address);
};

async function answer(id: number, address: string): Promise<void> {
  const abort = new AbortController();
  underWay.set(id, abort);
  try {
    const reply = await fetchFrame(id, address, abort.signal);
    const transfer =
      reply.kind === 'frame' ? Object.values(reply.frame.layers).flatMap((layer) => columnBuffers(layer.records)) : [];
    worker.postMessage(reply, transfer as Transferable[]);
  } catch (error) {
    worker.postMessage({ kind: 'failed', id, message: String(error) } satisfies LiveReply);
  } finally {
    underWay.delete(id);
  }
}

async function fetchFrame(id: number, address: string, signal: AbortSignal): Promise<LiveReply> {
  const sentMs = performance.now();
  const response = await fetch(address, { signal, cache: 'no-store', redirect: 'error' });
  // as_of is written just before the header leaves; the body's way is not part of the delay.
  const delayMs = (performance.now() - sentMs) / 2;
  const headerMs = performance.now();
  if (response.status === 401) return { kind: 'signed-out', id };
  if (!response.ok) return { kind: 'failed', id, message: `status ${response.status}` };
  const answered = liveAnswerSchema.parse(await response.json());
  const readMs = performance.now() - headerMs;
  return { kind: 'frame', id, frame: frameFromAnswer(answered, delayMs + readMs) };
}
