import type { EndLine, ProgressLine, QueuedLine } from '#lib/api/history-line.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Window } from '#lib/time/window.ts';
import type { WorkerFailure } from '../../request/worker-failure.ts';
import type { ObservationColumns } from '../store/observation-columns.ts';

export interface HistoryLoad {
  readonly kind: 'load';
  readonly address: string;
}

export type HistoryRequest = HistoryLoad & { readonly id: number };

/** `done` and `failed` are the last of a load. */
export type HistoryReply =
  | {
      readonly kind: 'part';
      readonly id: number;
      readonly layer: Layer;
      readonly span: Window;
      readonly records: ObservationColumns;
      /** Records of the part that violated the contract and were dropped. */
      readonly unreadable: number;
    }
  | { readonly kind: 'queued'; readonly id: number; readonly line: QueuedLine }
  | { readonly kind: 'progress'; readonly id: number; readonly line: ProgressLine }
  | { readonly kind: 'done'; readonly id: number; readonly line: EndLine }
  | WorkerFailure;
