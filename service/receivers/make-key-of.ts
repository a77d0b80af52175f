import { createHmac, createSecretKey } from 'node:crypto';
import type { KeyOf, TrackKey } from './fix.ts';

const KEY_HEX_DIGITS = 32;

/**
 * First 16 bytes of HMAC-SHA-256. The secret suffices to try all 2^24 ICAO addresses, so keep it apart from data and
 * backups.
 */
export function makeKeyOf(secret: Uint8Array): KeyOf {
  // Prepared once, not for every digest.
  const key = createSecretKey(secret);
  return (layer, name) =>
    createHmac('sha256', key).update(`track\n${layer}\n${name}`).digest('hex').slice(0, KEY_HEX_DIGITS) as TrackKey;
}
