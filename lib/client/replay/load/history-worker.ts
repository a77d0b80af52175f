import '../../request/page-port.ts';
import { COMPACT_HISTORY_TYPE } from '#lib/api/history-line.ts';
import { decodeFrame } from '#lib/codec/frame.ts';
import { columnBuffers, observationsOf } from '#lib/codec/record-columns.ts';
import { instantOf } from '#lib/time/instant.ts';
import { arrivingBody, fetchLookout, LookoutRequestError } from '../../request/fetch-lookout.ts';
import { servePage } from '../../request/page-port.ts';
import { historyMessages } from './history-messages.ts';
import type { HistoryLoad, HistoryReply } from './replay-transport.ts';

/** Decodes off the main thread, and transfers parts as columns. */
servePage<HistoryLoad, HistoryReply>(async ({ address }, { id, signal, reply }) => {
  try {
    await load(address, id, signal, reply);
  } catch (error) {
    // A truncated answer does not say whether the session has ended.
    if (!signal.aborted && (await isSignedOut(signal))) throw new LookoutRequestError('signed-out');
    throw error;
  }
});

async function load(
  address: string,
  id: number,
  signal: AbortSignal,
  reply: (message: HistoryReply, transfer?: Transferable[]) => void,
): Promise<void> {
  const { body: stream } = await fetchLookout(address, { signal, headers: { accept: COMPACT_HISTORY_TYPE } });
  if (!stream) throw new LookoutRequestError('unreachable');
  for await (const { head, body } of historyMessages(arrivingBody(stream))) {
    switch (head.type) {
      case 'part': {
        const records = observationsOf(decodeFrame(body).records);
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
