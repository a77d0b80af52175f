/** Integers of one kind, with magnitudes below 2^32. */
type IntegerColumn = Int32Array | Float64Array;

/** The entropy coding of integer columns. The frame code depends only on this interface. */
export interface EntropyStage {
  encoder(): ColumnEncoder;
  decoder(bytes: Uint8Array): ColumnDecoder;
}

export interface ColumnEncoder {
  /** Columns must be read in the order in which they were written. Their lengths are not stored. */
  write(column: IntegerColumn): void;
  /** The encoded bytes. Nothing may be written afterwards. */
  finish(): Uint8Array;
}

export interface ColumnDecoder {
  /** Fills the column. Damaged or missing bytes decode to arbitrary integers; this never throws. */
  read(column: IntegerColumn): void;
}
