import { createHmac, createSecretKey } from 'node:crypto';
import type { KeyOf, TrackKey } from './fix.ts';

const KEY_HEX_DIGITS = 32;

/**
 * Digests names of tracks: the first 16 bytes of HMAC-SHA-256. Whoever knows the secret can try all 2^24 ICAO addresses,
 * so it is kept apart from data and backups. No name is kept, not even in memory.
 */
export function makeKeyOf(secret: Uint8Array): KeyOf {
  // As a KeyObject the secret is prepared once, not with every digest.
  const key = createSecretKey(secret);
  return (layer, name) =>
    createHmac('sha256', key).update(`track\n${layer}\n${name}`).digest('hex').slice(0, KEY_HEX_DIGITS) as TrackKey;
}
