import type { LonLat } from '#lib/geo/great-circle.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { escapedForXml, xmlElement } from './xml-element.ts';

/** CoT's value of an unknown height or error (takcot; ATAK CotPoint.UNKNOWN). */
const UNKNOWN = '9999999';
/** The contract's step. */
const DEGREE_DIGITS = 6;

export interface CotEvent {
  /** A later event with it replaces this one at the receiver. */
  readonly uid: string;
  readonly type: string;
  /** How the coordinates came about: `m-r` relayed, `m-s` simulated. */
  readonly how: 'm-r' | 'm-s';
  readonly at: UpstreamInstant;
  readonly stale: UpstreamInstant;
  /** CoT requires one; `undefined` is written as 0, 0, the default of ATAK (CotPoint.ZERO). */
  readonly place: LonLat | undefined;
}

/** Cursor on Target 2.0 (MITRE case 11-3895). @param detail XML */
export function cotEvent({ uid, type, how, at, stale, place }: CotEvent, ...detail: readonly string[]): string {
  const time = formatInstant(at);
  return xmlElement(
    'event',
    { version: '2.0', uid, type, how, time, start: time, stale: formatInstant(stale) },
    xmlElement('point', {
      lat: decimal(place?.lat ?? 0, DEGREE_DIGITS),
      lon: decimal(place?.lon ?? 0, DEGREE_DIGITS),
      hae: UNKNOWN,
      ce: UNKNOWN,
      le: UNKNOWN,
    }),
    xmlElement('detail', {}, ...detail),
  );
}

export function contact(callsign: string): string {
  return xmlElement('contact', { callsign });
}

export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

export function remarks(lines: readonly (string | undefined)[]): string {
  return xmlElement('remarks', {}, escapedForXml(lines.filter((line) => line !== undefined).join('\n')));
}

/** xs:decimal: no exponent, no `-0`. @param digits up to 6 */
export function decimal(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)) + 0);
}
