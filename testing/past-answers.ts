import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { LayerEnd, ProgressLine } from '#lib/api/history-line.ts';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import type { HistoryReply, HistoryRequest } from '#lib/client/replay/load/replay-transport.ts';
import { observationColumns } from '#lib/client/replay/store/observation-columns.fixture.ts';
import type { Layer } from '#lib/model/position.ts';
import { instantOf } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

export interface Past {
  readonly records: readonly LiveRecord[];
  /** Default: 3 requests without an allowance. */
  readonly cost?: Partial<HistoryCost>;
  /** A letter for each minute of the window. Default: all complete. */
  readonly minutes?: string;
  readonly reception?: LayerEnd['reception'];
  /** Of the aircraft. */
  readonly gaps?: LayerEnd['gaps'];
  /** Holds every load. */
  readonly held?: Promise<void>;
  /** Leaves every load without its end; called after the last part, with a way to send further lines at once. */
  readonly unfinished?: (send: (line: ProgressLine) => void) => void;
}

export const PRICE = {
  expected: 3,
  known: true,
  max_requests: 6,
  boxes: [[7, 46, 10, 48]],
} satisfies HistoryCost['middle'];

export function costAnswer(query: URLSearchParams, { cost }: Past): HistoryCost {
  return {
    as_of: new Date().toISOString(),
    start: query.get('start') ?? '',
    end: query.get('end') ?? '',
    middle: PRICE,
    tiles: null,
    wide: false,
    has_allowance: false,
    left: null,
    ...cost,
  };
}

/** A load is one part of each layer, at once, after a complete lead-in. */
export function pastWorker(
  { records, minutes: letters, reception, gaps = [], held, unfinished }: Past,
  loads: URLSearchParams[],
): typeof Worker {
  class PastWorker {
    onmessage: ((event: Pick<MessageEvent<HistoryReply>, 'data'>) => void) | undefined;

    postMessage(request: HistoryRequest): void {
      if (request.kind !== 'load') return;
      const query = new URL(request.address).searchParams;
      loads.push(query);
      const [start, end] = [query.get('start') ?? '', query.get('end') ?? ''];
      const inWindow = records.filter(({ observed_at: at }) => at >= start && at < end);
      const layers = (query.get('layers')?.split(',') ?? []) as Layer[];
      const answer = (data: HistoryReply) => {
        const send = () => setTimeout(() => this.onmessage?.({ data }));
        if (held === undefined) send();
        else void held.then(send);
      };
      const of = <T>(value: (records: readonly LiveRecord[]) => T) =>
        Object.fromEntries(layers.map((layer) => [layer, value(layer === 'adsb' ? inWindow : [])]));
      const { id } = request;
      const span = { start: instantOf(start), end: instantOf(end) };
      const count = Math.ceil((Date.parse(end) - Date.parse(start)) / MINUTE_MS);
      const minutes = (letters ?? '').padStart(count, 'c');
      const progress = { parts_done: 1, parts_known: 1, requests_made: 1, requests_expected: 0, minutes };
      for (const layer of layers) {
        const columns = observationColumns(layer === 'adsb' ? inWindow : []);
        answer({ kind: 'part', id, layer, span, records: columns, unreadable: 0 });
      }
      answer({ kind: 'progress', id, line: { type: 'progress', layers: of(() => progress), paused: null } });
      if (unfinished) {
        setTimeout(() => unfinished((line) => this.onmessage?.({ data: { kind: 'progress', id, line } })));
        return;
      }
      const ended = (loaded: readonly LiveRecord[]) => ({
        complete: gaps.length === 0,
        gaps,
        ...(reception && { reception }),
        records: loaded.length,
        requests: 1,
      });
      answer({ kind: 'done', id, line: { type: 'end', layers: of(ended) } });
    }

    terminate(): void {}
  }
  return PastWorker as unknown as typeof Worker;
}
