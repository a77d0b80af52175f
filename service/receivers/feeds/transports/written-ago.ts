import type { IncomingHttpHeaders } from 'node:http';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** Headers have whole seconds at both ends, and a file is read up to a second after it was written. */
const INEXACT_MS = 2 * SECOND_MS;

/**
 * Age of an answer in ms when it was sent, by the server's clock alone, and never too much. 0 if unknown.
 * @param isWrittenFalse its `last-modified` is meaningless
 */
export function writtenAgoMs(headers: IncomingHttpHeaders, isWrittenFalse: boolean): number {
  const ageMs = /^\d{1,9}$/.test(headers.age ?? '') ? Number(headers.age) * SECOND_MS : 0;
  const fileMs = Date.parse(headers.date ?? '') - Date.parse(headers['last-modified'] ?? '');
  const isFileKnown = !isWrittenFalse && fileMs > 0;
  return leastAgoMs(ageMs + (isFileKnown ? fileMs : 0));
}

/** @param measuredMs measured age */
export function leastAgoMs(measuredMs: number): number {
  return Math.max(0, measuredMs - INEXACT_MS);
}
