import type { LayerAnswer, ViewAnswer } from '#lib/api/live-answer.ts';
import type { RecordColumns } from '#lib/codec/record-columns.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import type { LayerFrame, LiveFrame } from './live-frame.ts';

/** @param delayMs the answer's age on arrival */
export function viewFrame(answer: ViewAnswer, delayMs: number): Omit<LiveFrame, 'layers'> {
  return {
    asOf: instantOf(answer.as_of),
    delayMs,
    nextPollMs: answer.next_poll_ms,
    requested: boxFromCorners(answer.requested),
    covered: answer.covered.map(boxFromCorners),
    capped: answer.capped,
  };
}

export function layerFrame(answer: LayerAnswer, records: readonly RecordColumns[]): LayerFrame {
  return {
    state: answer.state,
    reason: answer.reason ?? undefined,
    fetchedAt: optionalInstant(answer.fetched_at),
    failingSince: optionalInstant(answer.failing_since),
    until: optionalInstant(answer.until),
    partial: answer.partial,
    gaps: answer.gaps.map(({ bbox, reason }) => ({ bbox: boxFromCorners(bbox), reason })),
    unreadable: answer.unreadable,
    reception: answer.reception ? { ...answer.reception, since: optionalInstant(answer.reception.since) } : undefined,
    records,
  };
}

function optionalInstant(text: string | null): UpstreamInstant | undefined {
  return text === null ? undefined : instantOf(text);
}
