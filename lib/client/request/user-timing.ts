/** Set in the page's session storage by the benchmarks. */
const MEASURE_KEY = 'lookout.measure';

/** Whether this page records user timings. Off by default, since they would accumulate in a tab that is open for days. */
export function isMeasured(): boolean {
  return window.sessionStorage.getItem(MEASURE_KEY) !== null;
}

/** Calls `work`, and records a user timing if the page is measured. */
export function userTimed<T>(name: string, work: () => T): T {
  if (!isMeasured()) return work();
  const start = performance.now();
  const result = work();
  performance.measure(name, { start, end: performance.now() });
  return result;
}
