export class DamagedBytes extends Error {
  override name = 'DamagedBytes';
}
