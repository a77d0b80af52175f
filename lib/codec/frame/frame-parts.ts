import { PbfWriter } from 'pbf';
import type { ColumnDecoder, ColumnEncoder, EntropyStage } from '../entropy/entropy-stage.ts';
import { rangeStage } from '../entropy/range-stage.ts';
import { PlainReader } from './plain-reader.ts';

/** Replacing this stage requires only a new revision of the format (format-version.ts). */
export const FRAME_STAGE: EntropyStage = rangeStage;

/** Writes the two parts of a frame: plain bytes, and integer columns encoded by the entropy stage. */
export interface FrameWriter {
  readonly plain: PbfWriter;
  readonly coded: ColumnEncoder;
  /** The frame's bytes, in consecutive pieces. Nothing may be written afterwards. */
  finish(): readonly Uint8Array[];
}

export interface FrameReader {
  readonly plain: PlainReader;
  readonly coded: ColumnDecoder;
  /** Expected fingerprint of the decoded records. */
  readonly fingerprint: number;
}

/** The layout is: fingerprint (4 bytes), length of the plain part (varint), plain part, coded part. */
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

/** @throws Error if the bytes are truncated */
export function frameReader(bytes: Uint8Array, stage: EntropyStage): FrameReader {
  const reader = new PlainReader(bytes);
  const fingerprint = reader.uint32();
  const plain = new PlainReader(reader.bytes(reader.count(1)));
  return { plain, coded: stage.decoder(reader.bytes(reader.left)), fingerprint };
}
