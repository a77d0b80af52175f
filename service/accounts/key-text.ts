import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'lkt_';
const SECRET_BYTES = 32;
/** Digits of base 62 for 256 and 32 bits. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = PREFIX.length + 6;

const form = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * `lkt_`, 256 random bits and their CRC-32 in base 62. Scanners find leaked keys by the prefix, and the checksum shows
 * typing errors.
 */
export function makeKeyText(random: (size: number) => Uint8Array = randomBytes): string {
  const body = PREFIX + base62(BigInt(`0x${Buffer.from(random(SECRET_BYTES)).toString('hex')}`), SECRET_LENGTH);
  return body + checksumOf(body);
}

export function isKeyText(text: string): boolean {
  return form.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Needs no look-up. */
export function isMistyped(text: string): boolean {
  return text.startsWith(PREFIX) && !isKeyText(text);
}

/** Six of 43 digits, shown to identify a key. */
export function shownStart(key: string): string {
  return key.slice(0, SHOWN_LENGTH);
}

function checksumOf(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text.padStart(length, ALPHABET[0]);
}
