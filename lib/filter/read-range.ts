import { parseDecimal } from '#lib/geo/parse-decimal.ts';
import type { ValueRange } from './track-filter.ts';

export type ReadRange =
  | { readonly problem: undefined; readonly range: ValueRange | undefined }
  | { readonly problem: string };

/** Either end may be empty. A decimal comma is a point. */
export function readRange(fromText: string, toText: string): ReadRange {
  return read(fromText, toText, false);
}

/**
 * `500..1000`, `500..` or `..120`; empty is none.
 * @param isCircular a range of directions may lead over north: `330..30`
 */
export function readRangeText(text: string, isCircular: boolean): ReadRange {
  if (text.trim() === '') return { problem: undefined, range: undefined };
  const [from, to, ...rest] = text.split(/\.\.+|…|–/);
  if (from === undefined || to === undefined || rest.length > 0)
    return { problem: 'A range has two dots: 500..1000, 500.. or ..120.' };
  return read(from, to, isCircular);
}

function read(fromText: string, toText: string, isCircular: boolean): ReadRange {
  const [from, to] = [readEnd(fromText), readEnd(toText)];
  if (from === 'invalid' || to === 'invalid') return { problem: 'Only numbers, such as 120 or 0.5.' };
  if (from === undefined && to === undefined) return { problem: undefined, range: undefined };
  if (from !== undefined && to !== undefined && (isCircular ? to === from : to <= from))
    return { problem: 'The second value must be greater than the first, which belongs to the range.' };
  return { problem: undefined, range: { from, to } };
}

function readEnd(text: string): number | undefined | 'invalid' {
  const trimmed = text.trim().replace(',', '.');
  return trimmed === '' ? undefined : (parseDecimal(trimmed) ?? 'invalid');
}
