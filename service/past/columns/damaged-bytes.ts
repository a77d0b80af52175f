/** Stored bytes that are not what was written. The message says what was found. */
export class DamagedBytes extends Error {
  override name = 'DamagedBytes';
}
