/** Set in the page's session storage by the benchmarks. */
const SWITCH = 'lookout.measure';

/** Whether this page leaves user timings: not by default, since in a tab that is open for days they would pile up. */
export function isMeasured(): boolean {
  return window.sessionStorage.getItem(SWITCH) !== null;
}

/** Does the work, and leaves its user timing where the page is measured. */
export function userTimed<T>(name: string, work: () => T): T {
  if (!isMeasured()) return work();
  const start = performance.now();
  const result = work();
  performance.measure(name, { start, end: performance.now() });
  return result;
}
