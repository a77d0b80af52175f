import type { LayerAnswer, ViewAnswer } from '#lib/api/live-answer.ts';
import type { RecordColumns } from '#lib/codec/record-columns.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { LayerFrame, LiveFrame } from './live-frame.ts';

/** @param delayMs how old the answer was when it came */
export function viewFrame(answer: ViewAnswer, delayMs: number): Omit<LiveFrame, 'layers'> {
  return {
    asOfMs: Date.parse(answer.as_of),
    delayMs,
    nextPollMs: answer.next_poll_ms,
    asked: boxFromCorners(answer.asked),
    covered: answer.covered.map(boxFromCorners),
    capped: answer.capped,
  };
}

export function layerFrame(answer: LayerAnswer, records: readonly RecordColumns[]): LayerFrame {
  const ms = (text: string | null) => (text === null ? undefined : Date.parse(text));
  return {
    state: answer.state,
    reason: answer.reason ?? undefined,
    fetchedAtMs: ms(answer.fetched_at),
    failingSinceMs: ms(answer.failing_since),
    untilMs: ms(answer.until),
    partial: answer.partial,
    gaps: answer.gaps.map(({ bbox, reason }) => ({ bbox: boxFromCorners(bbox), reason })),
    unreadable: answer.unreadable,
    records,
  };
}
