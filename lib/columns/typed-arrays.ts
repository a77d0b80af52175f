/** Helps for columns that grow and are sorted by time. */

type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Int16Array | Uint16Array | Uint8Array;

/** A copy with more room, twice as much by default, and zeros at its end. */
export function grown<Column extends Numbers>(column: Column, capacity = 2 * column.length): Column {
  const larger = new (column.constructor as new (length: number) => Column)(capacity);
  larger.set(column);
  return larger;
}

/** Sorts in place, and is stable. Rows nearly always are sorted already, so it checks first. */
export function sortByTime(rows: Uint32Array, timesMs: ArrayLike<number>): void {
  for (let at = 1; at < rows.length; at += 1) {
    if (timesMs[rows[at]!]! >= timesMs[rows[at - 1]!]!) continue;
    rows.sort((a, b) => timesMs[a]! - timesMs[b]!);
    return;
  }
}

/** Index of the last of ascending numbers that is at most the value. @param numbers the first is at most the value */
export function lastAtMost(numbers: ArrayLike<number>, value: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (numbers[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
