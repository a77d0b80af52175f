import { historyMessages } from '#lib/client/replay/load/history-messages.ts';
import { decodeFrame } from '#lib/codec/frame.ts';
import { columnsOf } from '#lib/codec/record-columns.ts';

/** NaN is "not reported". */
export interface OpenedObservation {
  readonly ref: string;
  readonly observedAtMs: number;
  readonly lon: number;
  readonly lat: number;
  readonly altitudeM: number;
  readonly speedMps: number;
}

export async function historyOpened(body: Buffer): Promise<readonly OpenedObservation[]> {
  const opened: OpenedObservation[] = [];
  for await (const { head, body: part } of historyMessages(new Blob([new Uint8Array(body)]).stream())) {
    if (head.type !== 'part') continue;
    const records = columnsOf(decodeFrame(part).records);
    for (let index = 0; index < records.count; index++) {
      opened.push({
        ref: records.refs[index] as string,
        observedAtMs: records.observedAtMs[index] as number,
        lon: records.lon[index] as number,
        lat: records.lat[index] as number,
        altitudeM: records.altitudeM[index] as number,
        speedMps: records.speedMps[index] as number,
      });
    }
  }
  return opened;
}
