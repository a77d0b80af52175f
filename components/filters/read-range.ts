import type { ValueRange } from '#lib/filter/track-filter.ts';
import { parseDecimal } from '#lib/geo/parse-decimal.ts';

export type ReadRange =
  | { readonly problem: undefined; readonly range: ValueRange | undefined }
  | { readonly problem: string };

/** A range as an operator types it: either end may be empty; with both empty there is none. A decimal comma is a point. */
export function readRange(fromText: string, toText: string): ReadRange {
  const [from, to] = [readEnd(fromText), readEnd(toText)];
  if (from === 'invalid' || to === 'invalid') return { problem: 'Only numbers, such as 120 or 0.5.' };
  if (from === undefined && to === undefined) return { problem: undefined, range: undefined };
  if (from !== undefined && to !== undefined && to <= from)
    return { problem: 'The second value must be greater than the first, which belongs to the range.' };
  return { problem: undefined, range: { from, to } };
}

function readEnd(text: string): number | undefined | 'invalid' {
  const trimmed = text.trim().replace(',', '.');
  return trimmed === '' ? undefined : (parseDecimal(trimmed) ?? 'invalid');
}
