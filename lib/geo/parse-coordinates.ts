import type { LonLat } from './great-circle.ts';
import { parseMgrs } from './mgrs.ts';

export type CoordinateReading =
  | { readonly ok: true; readonly place: LonLat }
  /** Ambiguous or impossible coordinates. `problem` says what to write. */
  | { readonly ok: false; readonly problem: string };

const LONGEST = 80;

const token = /([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)\s*(°|'|"|)|([NSEWO])|([,;/])/gy;

/** `472729N 0083253E`, as in aeronautical publications, or without seconds. */
const PACKED = /^(\d{4}|\d{6}(?:\.\d+)?)([NS])\s*(\d{5}|\d{7}(?:\.\d+)?)([EW])$/;

interface Part {
  readonly value: number;
  readonly hasPoint: boolean;
  readonly isSigned: boolean;
  readonly unit: string;
}

interface Half {
  readonly parts: readonly Part[];
  readonly letter: string | undefined;
}

/** Latitude comes first unless letters say otherwise. `undefined` if the text is no attempt at coordinates. */
export function parseCoordinates(text: string): CoordinateReading | undefined {
  const plain = plainText(text);
  if (plain.length > LONGEST) return undefined;
  const mgrs = parseMgrs(plain);
  if (mgrs) return mgrs.ok ? { ok: true, place: mgrs.place } : mgrs;
  if (/^[+-]?\d+,\d+[\s;]+[+-]?\d+,\d+$/.test(plain)) return read(plain.replaceAll(',', '.'));
  const packed = PACKED.exec(plain);
  if (packed) {
    const [, lat = '', ns = '', lon = '', ew = ''] = packed;
    return read(`${unpacked(lat, 2)}${ns} ${unpacked(lon, 3)}${ew}`);
  }
  return read(plain);
}

/** `472729` as `47 27 29`. */
function unpacked(digits: string, degreeDigits: number): string {
  const minutes = degreeDigits + 2;
  return `${digits.slice(0, degreeDigits)} ${digits.slice(degreeDigits, minutes)} ${digits.slice(minutes)}`;
}

function plainText(text: string): string {
  return text
    .trim()
    .replace(/^geo:/i, '')
    .replace(/[°º˚]/g, '°')
    .replace(/''|[“”„″]/g, '"')
    .replace(/[′’‘‛´`ʹ]/g, "'")
    .replace(/[−–‐]/g, '-')
    .toUpperCase();
}

function read(plain: string): CoordinateReading | undefined {
  const halves = split(plain);
  if (halves === undefined) return undefined;
  if (typeof halves === 'string') return { ok: false, problem: halves };
  const [first, second] = halves;
  if (first.letter === 'O' || second.letter === 'O')
    return { ok: false, problem: 'O can mean east or west: write E or W.' };
  if ((first.letter === undefined) !== (second.letter === undefined))
    return { ok: false, problem: 'Write N or S and E or W for both numbers, or for none.' };
  const lonFirst = first.letter === 'E' || first.letter === 'W';
  const [latHalf, lonHalf] = lonFirst ? [second, first] : [first, second];
  if (latHalf.letter !== undefined && (!'NS'.includes(latHalf.letter) || !'EW'.includes(lonHalf.letter ?? '')))
    return { ok: false, problem: 'One of N or S and one of E or W is needed.' };
  const lat = degrees(latHalf);
  const lon = degrees(lonHalf);
  if (typeof lat === 'string') return { ok: false, problem: lat };
  if (typeof lon === 'string') return { ok: false, problem: lon };
  if (Math.abs(lat) > 90)
    return { ok: false, problem: `${lat}° is no latitude. Latitude comes first, or write N or S and E or W.` };
  if (Math.abs(lon) > 180) return { ok: false, problem: `${lon}° is no longitude: it goes from 180° W to 180° E.` };
  return { ok: true, place: { lon: lon === 180 ? -180 : lon, lat } };
}

/** A problem as text; `undefined` if this is no pair. */
function split(plain: string): readonly [Half, Half] | string | undefined {
  const parts: Part[] = [];
  const letters: { readonly letter: string; readonly after: number }[] = [];
  const separators: number[] = [];
  token.lastIndex = 0;
  let at = 0;
  while (at < plain.length) {
    const blank = /\s/.test(plain[at]!);
    if (!blank) {
      token.lastIndex = at;
      const match = token.exec(plain);
      if (!match) return undefined;
      const [whole, number, unit = '', letter, separator] = match;
      if (number !== undefined) {
        parts.push({ value: Number(number), hasPoint: number.includes('.'), isSigned: /^[+-]/.test(number), unit });
      } else if (letter !== undefined) letters.push({ letter, after: parts.length });
      else if (separator !== undefined) separators.push(parts.length);
      at += whole.length;
    } else at += 1;
  }
  if (parts.length < 2 || (letters.length === 0 && parts.length === 1)) return undefined;
  if (separators.length > 1 || letters.length > 2 || parts.length > 6) return UNCLEAR;
  const cut = middle(parts, letters, separators);
  if (cut === undefined || cut < 1 || cut >= parts.length || cut > 3 || parts.length - cut > 3) return UNCLEAR;
  const [first, second] = [parts.slice(0, cut), parts.slice(cut)];
  if (letters.length === 1) return 'Write N or S and E or W for both numbers, or for none.';
  return [
    { parts: first, letter: letters[0]?.letter },
    { parts: second, letter: letters[1]?.letter },
  ];
}

const UNCLEAR = 'Not clear which numbers belong together. Try 47.458, 8.548 or 47°27\'29"N 8°32\'53"E.';

function middle(
  parts: readonly Part[],
  letters: readonly { readonly letter: string; readonly after: number }[],
  separators: readonly number[],
): number | undefined {
  const [separator] = separators;
  if (letters.length === 2) {
    const [a, b] = letters as unknown as readonly [{ after: number }, { after: number }];
    const cut = a.after === 0 ? b.after : a.after;
    const isPaired = a.after === 0 ? b.after > 0 && b.after < parts.length : b.after === parts.length;
    return isPaired && (separator === undefined || separator === cut) ? cut : undefined;
  }
  if (separator !== undefined) return separator;
  const secondDegrees = parts.findIndex((part, index) => index > 0 && part.unit === '°');
  if (secondDegrees > 0) return secondDegrees;
  return parts.length % 2 === 0 ? parts.length / 2 : undefined;
}

const UNITS = ['°', "'", '"'] as const;

/** @returns a text that names the problem where there is one */
function degrees({ parts, letter }: Half): number | string {
  const [whole, ...smaller] = parts;
  if (whole === undefined) return UNCLEAR;
  if (parts.some((part, index) => part.unit !== '' && part.unit !== UNITS[index])) return UNCLEAR;
  if (parts.some((part, index) => part.hasPoint && index < parts.length - 1))
    return 'Only the last of degrees, minutes and seconds can have decimals.';
  if (smaller.some((part) => part.isSigned || part.value >= 60)) return 'Minutes and seconds go from 0 to 59.';
  if (whole.isSigned && letter !== undefined) return 'Write a sign or a letter, not both.';
  const magnitude = parts.reduce((sum, part, index) => sum + Math.abs(part.value) / 60 ** index, 0);
  const isNegative =
    letter === undefined ? Object.is(Math.sign(whole.value), -0) || whole.value < 0 : 'SW'.includes(letter);
  return isNegative ? -magnitude : magnitude;
}
