import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import type { FrameKind } from './frame-kind.ts';
import { RangeDecoder } from './range-decoder.ts';
import { RangeEncoder } from './range-encoder.ts';

/** A frame has two parts: plain bytes, and bits of columns that cost the less the likelier they were. */
export interface FrameWriter {
  readonly plain: ByteWriter;
  readonly coded: RangeEncoder;
  /** The whole frame; nothing may be written any more. */
  finish(): Uint8Array;
}

export interface FrameReader {
  readonly plain: ByteReader;
  readonly coded: RangeDecoder;
  /** The fingerprint of the records that the frame leads to. */
  readonly fingerprint: number;
}

/** Kind and version (1 byte), fingerprint (4), length of the plain part (varint), plain part, coded part. */
export function frameWriter(kind: FrameKind, fingerprint: number): FrameWriter {
  const plain = new ByteWriter();
  const codedBytes = new ByteWriter();
  const coded = new RangeEncoder(codedBytes);
  return {
    plain,
    coded,
    finish() {
      coded.finish();
      const frame = new ByteWriter();
      const plainBytes = plain.written();
      frame.byte(kind);
      frame.uint32(fingerprint);
      frame.varint(plainBytes.length);
      frame.bytes(plainBytes);
      frame.bytes(codedBytes.written());
      return frame.written();
    },
  };
}

/** @throws Error where the bytes do not begin as such a frame */
export function frameReader(kind: FrameKind, bytes: Uint8Array): FrameReader {
  const reader = new ByteReader(bytes);
  if (reader.byte() !== kind) throw new Error('this is no frame of this kind and version');
  const fingerprint = reader.uint32();
  const plain = new ByteReader(reader.bytes(reader.count(1)));
  return { plain, coded: new RangeDecoder(reader.bytes(reader.left)), fingerprint };
}
