import { PbfReader, PbfWriter } from 'pbf';
import type { EntropyStage } from './entropy-stage.ts';

/** The plainest stage: each integer as a varint, small either side of 0. What the range coder is measured against. */
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
