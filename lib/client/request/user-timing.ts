const MEASURE_KEY = 'lookout.measure';

/** Off by default: user timings would accumulate in a tab that is open for days. */
export function isMeasured(): boolean {
  return window.sessionStorage.getItem(MEASURE_KEY) !== null;
}
