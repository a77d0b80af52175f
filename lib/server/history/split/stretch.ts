import 'server-only';

/** Some time and the records expected or counted in it. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
  readonly records: number;
}

export function recordsIn(stretches: readonly Stretch[]): number {
  return stretches.reduce((total, { records }) => total + records, 0);
}

/** Records before a time; within a stretch they are evenly spread. */
export function recordsBefore(stretches: readonly Stretch[], atMs: number): number {
  return stretches.reduce((total, { startMs, endMs, records }) => {
    const part = Math.min(1, Math.max(0, (atMs - startMs) / (endMs - startMs)));
    return total + records * part;
  }, 0);
}

/** The time at which that many records are reached, from the start of adjacent stretches; their end where they have fewer. */
export function reachedAt(stretches: readonly Stretch[], wanted: number): number {
  let missing = wanted;
  for (const { startMs, endMs, records } of stretches) {
    if (records >= missing && records > 0) return startMs + ((endMs - startMs) * Math.max(0, missing)) / records;
    missing -= records;
  }
  return stretches.at(-1)?.endMs ?? 0;
}
