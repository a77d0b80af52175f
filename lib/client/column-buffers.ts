import type { RecordColumns } from './live-frame.ts';

/** The buffers of the columns, to hand over from a worker without copying. */
export function columnBuffers(columns: RecordColumns): ArrayBufferLike[] {
  return [
    columns.flags,
    columns.confidence,
    columns.emergency,
    columns.observedAtMs,
    columns.staleAfterMs,
    columns.lon,
    columns.lat,
    columns.altitudeM,
    columns.heightAglM,
    columns.speedMps,
    columns.headingDeg,
    columns.confidenceScore,
    columns.receiverCount,
  ].map((column) => column.buffer);
}
