/** Bytes that differ from what was written. The message says what was found. */
export class DamagedBytes extends Error {
  override name = 'DamagedBytes';
}
