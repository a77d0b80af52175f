import { PbfReader, PbfWriter } from 'pbf';
import type { EntropyStage } from './entropy-stage.ts';

/** The simplest stage: each integer as a zigzag varint. The baseline for benchmarks of the range coder. */
export const varintStage: EntropyStage = {
  encoder() {
    const writer = new PbfWriter();
    return {
      write(column) {
        for (let at = 0; at < column.length; at++) writer.writeSVarint(column[at] as number);
      },
      finish: () => writer.finish(),
    };
  },
  decoder(bytes) {
    const reader = new PbfReader(bytes);
    const next = () => {
      try {
        return reader.pos < reader.length ? reader.readSVarint() : 0;
      } catch {
        return 0;
      }
    };
    return {
      read(column) {
        for (let at = 0; at < column.length; at++) column[at] = next();
      },
    };
  },
};
