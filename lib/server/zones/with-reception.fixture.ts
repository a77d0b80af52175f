import { type ReceptionStretch, receptionWithin } from '#lib/model/reception.ts';
import type { HistoryReader } from '../history/history-reader.ts';

/** Answers as an upstream that reports its receivers. */
export function withReception(
  reader: HistoryReader,
  stretches: readonly ReceptionStretch[],
): Pick<HistoryReader, 'load'> {
  return {
    async *load(...asked: Parameters<HistoryReader['load']>) {
      for await (const event of reader.load(...asked)) {
        if (event.kind === 'line') yield event;
        else {
          const { part } = event;
          yield { ...event, part: { ...part, reception: receptionWithin(part.window, stretches) } };
        }
      }
    },
  };
}
