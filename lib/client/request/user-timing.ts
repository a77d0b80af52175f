/** Set in the page's session storage by the benchmarks. */
const MEASURE_KEY = 'lookout.measure';

/** Whether this page records user timings. Off by default, since they would accumulate in a tab that is open for days. */
export function isMeasured(): boolean {
  return window.sessionStorage.getItem(MEASURE_KEY) !== null;
}
