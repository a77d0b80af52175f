import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { JsonObject } from '../../json/mend-object.ts';
import type { Fix } from '../fix.ts';
import { type FieldNotes, numberWithin } from './parsed-message.ts';

/** The kinds of ids, best first: only a serial number is the same in every flight and message. */
export const DRONE_ID_KINDS = ['serial', 'registration', 'uuid', 'session'] as const;
export type DroneIdKind = (typeof DRONE_ID_KINDS)[number];

/** It never leaves the parsers: fixes have its digest. */
export interface DroneId {
  readonly kind: DroneIdKind;
  readonly value: string;
}

const placeholders: ReadonlySet<string> = new Set(['UNKNOWN', 'NONE', 'NULL', 'N/A', '0']);

/** @returns `undefined` if it is empty or means "unknown" */
export function textDroneId(kind: DroneIdKind, text: string): DroneId | undefined {
  // Receivers differ in case and padding.
  const value = printable(text).trim().toUpperCase().slice(0, 64);
  return value === '' || placeholders.has(value) ? undefined : { kind, value };
}

/** Bytes are padded with NUL. @returns `undefined` if it is all NUL */
export function bytesDroneId(kind: DroneIdKind, bytes: Uint8Array): DroneId | undefined {
  const value = Buffer.from(bytes)
    .toString('hex')
    .replace(/(00)+$/, '')
    .toUpperCase();
  return value === '' ? undefined : { kind, value };
}

export function droneName({ kind, value }: DroneId): string {
  return `${kind}:${value}`;
}

/** The 12 digits in upper case. `undefined` if it is no MAC address. */
export function macDigits(text: string): string | undefined {
  const digits = text.replaceAll(/[:.\s-]/g, '').toUpperCase();
  return /^[0-9A-F]{12}$/.test(digits) && !/^0+$/.test(digits) ? digits : undefined;
}

function printable(text: string): string {
  let kept = '';
  for (const character of text) if (character >= ' ' && character !== '\u007f') kept += character;
  return kept;
}

/** The example code of opendroneid/transmitter-linux, `transmit.c`, has it, and trials send it unchanged. */
const sampleSerials: ReadonlySet<string> = new Set(['112624150A90E3AE1EC0']);

/** Whether the text is one such as "Drone ID test flight---". */
export function saysTest(selfIdText: string): boolean {
  return /\b(test|demo|simul)/i.test(selfIdText);
}

export function isSampleId({ kind, value }: DroneId): boolean {
  return kind === 'serial' && sampleSerials.has(value);
}

/** Values of a Location message (ASTM F3411, `opendroneid.h`). Sentinels for "unknown" become null. */

export type DronePosition = Omit<Fix, 'layer' | 'trackKey' | 'feedTimeMs' | 'testBroadcast'>;

/** Degrees in [0, 360). 361 is unknown. */
export function knownHeadingDeg(direction: unknown): number | null {
  const headingDeg = numberWithin(direction, 0, 360);
  return headingDeg === 360 ? 0 : headingDeg;
}

/** A speed in m/s. 255 is unknown, 254.25 is "that or more". */
export function knownSpeedMps(speed: unknown): number | null {
  return numberWithin(speed, 0, 254.25);
}

/** Metres, in steps of 0.5. -1000 is unknown. */
export function knownAltitudeM(altitude: unknown): number | null {
  return numberWithin(altitude, -999.5, 31_767.5);
}

const UNKNOWN = { altitude: -1000, speed: 255, heading: 361 } as const;
const READ = { altitude: knownAltitudeM, speed: knownSpeedMps, heading: knownHeadingDeg } as const;

/** "Unknown" is null and not noted as unusable. */
export function readQuantity(
  row: JsonObject,
  quantity: keyof typeof READ,
  names: readonly string[],
  notes: FieldNotes,
): number | null {
  const known = names.filter((name) => row[name] !== UNKNOWN[quantity]);
  return notes.read(row, known, READ[quantity]);
}

const nauticalMileM = 1852;
const accuracyRadiusM: readonly (number | null)[] = [
  null,
  ...[10, 4, 2, 1, 0.5, 0.3, 0.1, 0.05].map((nauticalMiles) => nauticalMiles * nauticalMileM),
  ...[30, 10, 3, 1],
];

/** 0 is "18.52 km or more, or unknown". */
export function claimedAccuracyM(code: number): number | null {
  return accuracyRadiusM[code] ?? null;
}

/**
 * The drone's time in ms since 1970. A drone sends the time since the full hour, so the hour nearest to arrival is
 * assumed.
 * @param sinceHour seconds in steps of 0.1. 65535 is unknown
 * @returns `undefined` if unknown, or more than a minute off: the drone's clock is wrong
 */
export function trackTimeMs(sinceHour: unknown, receivedAt: UpstreamInstant): number | undefined {
  const sinceHourS = numberWithin(sinceHour, 0, 3600);
  if (sinceHourS === null) return undefined;
  const sinceHourMs = Math.round(sinceHourS * 10) * 100;
  const arrivalMs = epochMs(receivedAt);
  const hours = Math.round((arrivalMs - sinceHourMs) / HOUR_MS);
  const timeMs = hours * HOUR_MS + sinceHourMs;
  return Math.abs(timeMs - arrivalMs) <= MINUTE_MS ? timeMs : undefined;
}
