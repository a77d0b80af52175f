import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { KEY_MAX_LIFETIME_MS } from '#lib/contract/limits.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Grant, IssuedKey } from './account.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'lkt_';
const SECRET_BYTES = 32;
/** Digits of base 62 for 256 and 32 bits. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = PREFIX.length + 6;

const form = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * A new key: `lkt_`, 256 random bits and their CRC-32 in base 62. Scanners find leaked keys by the prefix, and the
 * checksum shows typing errors. The service stores only its digest, never the key itself.
 */
export function makeKeyText(random: (size: number) => Uint8Array = randomBytes): string {
  const body = PREFIX + base62(BigInt(`0x${Buffer.from(random(SECRET_BYTES)).toString('hex')}`), SECRET_LENGTH);
  return body + checksumOf(body);
}

export function isKeyText(text: string): boolean {
  return form.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Whether the text begins as a key but is none: it needs no look-up. */
export function isMistyped(text: string): boolean {
  return text.startsWith(PREFIX) && !isKeyText(text);
}

/** The prefix and six of 43 digits, by which its holder recognises a key. */
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

interface KeyRequest {
  readonly name: string;
  readonly secret: string;
  readonly createdAt: UpstreamInstant;
  /** By default it is as late as the contract allows. */
  readonly expiresAt?: UpstreamInstant;
}

export function issueKey(request: KeyRequest, grant: Pick<Grant, 'expiresAt'>): IssuedKey {
  const latest = latestExpiry(request.createdAt, grant);
  return {
    name: request.name,
    digest: keyDigest(request.secret),
    createdAt: request.createdAt,
    expiresAt: earlier(request.expiresAt ?? latest, latest),
    revokedAt: null,
  };
}

/** The first instant at which the key must be refused. */
export function latestExpiry(createdAt: UpstreamInstant, grant: Pick<Grant, 'expiresAt'>): UpstreamInstant {
  const latest = addMs(createdAt, KEY_MAX_LIFETIME_MS);
  return grant.expiresAt === null ? latest : earlier(latest, grant.expiresAt);
}

function earlier(one: UpstreamInstant, other: UpstreamInstant): UpstreamInstant {
  return one < other ? one : other;
}

export function keyDigest(secret: string): Uint8Array {
  return createHash('sha256').update(secret, 'utf8').digest();
}

/** A digest as a text for the keys of maps, which compare bytes by identity. */
export function digestText(digest: Uint8Array): string {
  return Buffer.from(digest).toString('latin1');
}
