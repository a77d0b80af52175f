import type { IncomingHttpHeaders } from 'node:http';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** Headers have whole seconds at both ends, and files are read up to a second late. */
const INEXACT_MS = 2 * SECOND_MS;

/**
 * A lower bound by the server's clock alone, 0 if unknown.
 * @param isWrittenFalse its `last-modified` is meaningless
 */
export function writtenAgoMs(headers: IncomingHttpHeaders, isWrittenFalse: boolean): number {
  const ageMs = /^\d{1,9}$/.test(headers.age ?? '') ? Number(headers.age) * SECOND_MS : 0;
  const fileMs = Date.parse(headers.date ?? '') - Date.parse(headers['last-modified'] ?? '');
  const isFileKnown = !isWrittenFalse && fileMs > 0;
  return leastAgoMs(ageMs + (isFileKnown ? fileMs : 0));
}

export function leastAgoMs(measuredMs: number): number {
  return Math.max(0, measuredMs - INEXACT_MS);
}
