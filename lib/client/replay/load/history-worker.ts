/// <reference lib="webworker" />
import '../../request/zod-without-eval.ts';
import { COMPACT_HISTORY_TYPE } from '#lib/api/history-line.ts';
import { columnBuffers } from '#lib/codec/record-columns.ts';
import { instantOf } from '#lib/time/instant.ts';
import { NO_ANSWER_MESSAGE, refusalMessage } from '../../request/refusal-message.ts';
import { openObservations } from '../store/observation-columns.ts';
import { historyMessages } from './history-messages.ts';
import type { HistoryReply, HistoryRequest } from './history-protocol.ts';

const worker = self as unknown as DedicatedWorkerGlobalScope;
const inFlight = new Map<number, AbortController>();

/** Decodes off the main thread, and transfers parts as columns. */
worker.onmessage = ({ data: request }: MessageEvent<HistoryRequest>) => {
  if (request.kind === 'abort') inFlight.get(request.id)?.abort();
  else void load(request.id, request.address);
};

function reply(message: HistoryReply, transfer: Transferable[] = []): void {
  worker.postMessage(message, transfer);
}

async function load(id: number, address: string): Promise<void> {
  const abort = new AbortController();
  inFlight.set(id, abort);
  try {
    await read(id, address, abort.signal);
  } catch (error) {
    if (abort.signal.aborted) return;
    // A truncated answer does not say whether the session has ended.
    if (await isSignedOut(abort.signal)) reply({ kind: 'signed-out', id });
    else reply({ kind: 'failed', id, message: failureMessage(error) });
  } finally {
    inFlight.delete(id);
  }
}

async function read(id: number, address: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(address, {
    signal,
    headers: { accept: COMPACT_HISTORY_TYPE },
    cache: 'no-store',
    redirect: 'error',
  });
  if (response.status === 401) return reply({ kind: 'signed-out', id });
  if (!response.ok || !response.body) return reply({ kind: 'failed', id, message: await refusalMessage(response) });
  for await (const { head, body } of historyMessages(response.body)) {
    switch (head.type) {
      case 'part': {
        const records = openObservations(body);
        const { layer, unreadable } = head;
        const span = { start: instantOf(head.start), end: instantOf(head.end) };
        reply({ kind: 'part', id, layer, span, records, unreadable }, columnBuffers(records));
        break;
      }
      case 'queued':
        reply({ kind: 'queued', id, line: head });
        break;
      case 'progress':
        reply({ kind: 'progress', id, line: head });
        break;
      case 'end':
        reply({ kind: 'done', id, line: head });
    }
  }
}

async function isSignedOut(signal: AbortSignal): Promise<boolean> {
  const answer = await fetch('/api/session', { signal, cache: 'no-store' }).catch(() => undefined);
  return answer?.status === 401;
}

/** `fetch` throws a TypeError without an answer; any other error means an unreadable one. */
function failureMessage(error: unknown): string {
  if (!(error instanceof Error) || error instanceof TypeError) return NO_ANSWER_MESSAGE;
  return `Unreadable answer from Lookout’s own server: ${error.message}.`;
}
