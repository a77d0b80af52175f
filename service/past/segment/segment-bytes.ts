/** The bytes of one segment, wherever it is kept. They are asked for only when something is read. */
export interface SegmentBytes {
  /** Of the segment, for messages and as a key. */
  readonly name: string;
  /**
   * Rejects with DamagedBytes if there are fewer, with a Refusal if nobody can be asked now, or with what the system
   * says.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Of a segment that is in memory. */
export function bytesInMemory(name: string, bytes: Uint8Array): SegmentBytes {
  return {
    name,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
    close: () => Promise.resolve(),
  };
}
