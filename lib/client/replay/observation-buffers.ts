import type { ObservationColumns } from './observation-columns.ts';

/** The buffers of the columns, to hand over from a worker without copying. */
export function observationBuffers(columns: ObservationColumns): ArrayBuffer[] {
  return Object.values(columns).flatMap((column: unknown) =>
    ArrayBuffer.isView(column) ? [column.buffer as ArrayBuffer] : [],
  );
}
