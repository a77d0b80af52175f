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

/** Of those before an instant; within a stretch records lie evenly. */
export function recordsBefore(stretches: readonly Stretch[], atMs: number): number {
  return stretches.reduce((total, { startMs, endMs, records }) => {
    const part = Math.min(1, Math.max(0, (atMs - startMs) / (endMs - startMs)));
    return total + records * part;
  }, 0);
}

/** When so many are reached, counted from the start of neighbouring stretches; their end where they are fewer. */
export function reachedAt(stretches: readonly Stretch[], wanted: number): number {
  let missing = wanted;
  for (const { startMs, endMs, records } of stretches) {
    if (records >= missing && records > 0) return startMs + ((endMs - startMs) * Math.max(0, missing)) / records;
    missing -= records;
  }
  return stretches.at(-1)?.endMs ?? 0;
}
