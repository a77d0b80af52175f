import type { IncomingHttpHeaders } from 'node:http';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** Headers have whole seconds, at both ends; and a file is read up to a second after it was written. */
const INEXACT_MS = 2 * SECOND_MS;

/**
 * How long before it was sent an answer was written, in ms, by one clock only, that of the server; 0 if nothing says so.
 * Never too much.
 * @param isWrittenFalse its `last-modified` means nothing
 */
export function writtenAgoMs(headers: IncomingHttpHeaders, isWrittenFalse: boolean): number {
  const ageMs = /^\d{1,9}$/.test(headers.age ?? '') ? Number(headers.age) * SECOND_MS : 0;
  const fileMs = Date.parse(headers.date ?? '') - Date.parse(headers['last-modified'] ?? '');
  const isFileKnown = !isWrittenFalse && fileMs > 0;
  return leastAgoMs(ageMs + (isFileKnown ? fileMs : 0));
}

/** @param measuredMs how long ago something was written, as it was measured */
export function leastAgoMs(measuredMs: number): number {
  return Math.max(0, measuredMs - INEXACT_MS);
}
