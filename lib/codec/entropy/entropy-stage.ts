/** Integers of one kind, of magnitudes below 2^32. */
type IntegerColumn = Int32Array | Float64Array;

/** The stage that turns columns of integers into few bytes. A frame's code knows no more of it than this. */
export interface EntropyStage {
  encoder(): ColumnEncoder;
  decoder(bytes: Uint8Array): ColumnDecoder;
}

export interface ColumnEncoder {
  /** Columns come out again in the order in which they were written; their lengths do not. */
  write(column: IntegerColumn): void;
  /** All that was written; nothing may follow. */
  finish(): Uint8Array;
}

export interface ColumnDecoder {
  /** Fills the column. Damaged bytes give some other whole numbers: they never throw, and never end. */
  read(column: IntegerColumn): void;
}
