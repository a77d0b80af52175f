import { PbfWriter } from 'pbf';
import type { ColumnDecoder, ColumnEncoder, EntropyStage } from '../entropy/entropy-stage.ts';
import { rangeStage } from '../entropy/range-stage.ts';
import { PlainReader } from './plain-reader.ts';

/** Another one here needs another revision of the format (format-version.ts), and nothing else. */
export const FRAME_STAGE: EntropyStage = rangeStage;

/** A frame has two parts: plain bytes, and columns of integers as the entropy stage writes them. */
export interface FrameWriter {
  readonly plain: PbfWriter;
  readonly coded: ColumnEncoder;
  /** The frame's bytes, in pieces that follow each other; nothing may be written any more. */
  finish(): readonly Uint8Array[];
}

export interface FrameReader {
  readonly plain: PlainReader;
  readonly coded: ColumnDecoder;
  /** Of the records that the frame leads to. */
  readonly fingerprint: number;
}

/** Fingerprint (4 bytes), length of the plain part (varint), plain part, coded part. */
export function frameWriter(fingerprint: number, stage: EntropyStage): FrameWriter {
  const plain = new PbfWriter();
  const coded = stage.encoder();
  return {
    plain,
    coded,
    finish() {
      const head = new PbfWriter();
      head.writeFixed32(fingerprint);
      head.writeBytes(plain.finish());
      return [head.finish(), coded.finish()];
    },
  };
}

/** @throws Error where the bytes are cut */
export function frameReader(bytes: Uint8Array, stage: EntropyStage): FrameReader {
  const reader = new PlainReader(bytes);
  const fingerprint = reader.uint32();
  const plain = new PlainReader(reader.bytes(reader.count(1)));
  return { plain, coded: stage.decoder(reader.bytes(reader.left)), fingerprint };
}
