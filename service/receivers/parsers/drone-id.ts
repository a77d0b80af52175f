/** Best first: only a serial number is the same in every flight and message. */
export const DRONE_ID_KINDS = ['serial', 'registration', 'uuid', 'session'] as const;
export type DroneIdKind = (typeof DRONE_ID_KINDS)[number];

/** Never leaves the parsers: fixes have its digest. */
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

/** Padded with NUL. @returns `undefined` if it is all NUL */
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

/** In upper case. `undefined` if it is no MAC address. */
export function macDigits(text: string): string | undefined {
  const digits = text.replaceAll(/[:.\s-]/g, '').toUpperCase();
  return /^[0-9A-F]{12}$/.test(digits) && !/^0+$/.test(digits) ? digits : undefined;
}

function printable(text: string): string {
  let kept = '';
  for (const character of text) if (character >= ' ' && character !== '\u007f') kept += character;
  return kept;
}
