/** Room above and below the values, as a part of what they span. */
const PADDING_PART = 0.08;
/** How much of a scale lies below 0 at most where no value does: a line at 0 should not lie on its edge. */
const BELOW_ZERO_PART = 0.04;

/**
 * What a scale shows of values from `min` to `max`. It spans at least `leastSpan`, so that the last digits of a level flight
 * do not look like a climb, and hardly reaches below 0 where no value does.
 */
export function valueRange(min: number, max: number, leastSpan: number): [min: number, max: number] {
  const span = Math.max(leastSpan, (max - min) * (1 + 2 * PADDING_PART));
  const low = (min + max - span) / 2;
  const start = min >= 0 ? Math.max(-BELOW_ZERO_PART * span, low) : low;
  return [start, start + span];
}
