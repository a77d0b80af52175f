import { ipAddress } from '#lib/text/ip-address.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { digestText } from './api-key.ts';

export const FAILURES_AT_ONCE = 300;
export const FAILURES_PER_SECOND = 5;
/** For so long after a key was accepted, it passes from any address. */
const ACCEPTED_FOR_MS = 3_600_000;

export interface AddressLimit {
  /** Whole seconds until this key may be looked up, 0 for at once. */
  waitS(address: string, digest: Uint8Array, now: UpstreamInstant): number;
  refused(address: string, digest: Uint8Array, now: UpstreamInstant): void;
  accepted(digest: Uint8Array, now: UpstreamInstant): void;
}

/** Correct keys don't count: recently accepted ones pass even after neighbours used up the attempts. */
export function makeAddressLimit(capacity = 10_000): AddressLimit {
  const buckets = new Map<string, { left: number; at: UpstreamInstant }>();
  const acceptedAt = new Map<string, UpstreamInstant>();

  function bucketAt(address: string, now: UpstreamInstant) {
    const name = callerBlock(address);
    const bucket = buckets.get(name) ?? { left: FAILURES_AT_ONCE, at: now };
    // A clock set back adds nothing.
    const elapsedS = Math.max(0, msBetween(bucket.at, now)) / SECOND_MS;
    bucket.left = Math.min(FAILURES_AT_ONCE, bucket.left + elapsedS * FAILURES_PER_SECOND);
    bucket.at = now;
    return { name, bucket };
  }

  return {
    waitS(address, digest, now) {
      const accepted = acceptedAt.get(digestText(digest));
      if (accepted !== undefined && msBetween(accepted, now) < ACCEPTED_FOR_MS) return 0;
      const { left } = bucketAt(address, now).bucket;
      return left >= 1 ? 0 : Math.ceil((1 - left) / FAILURES_PER_SECOND);
    },
    refused(address, digest, now) {
      acceptedAt.delete(digestText(digest));
      const { name, bucket } = bucketAt(address, now);
      bucket.left = Math.max(0, bucket.left - 1);
      remember(buckets, name, bucket, capacity);
    },
    accepted(digest, now) {
      remember(acceptedAt, digestText(digest), now, capacity);
    },
  };
}

function remember<Value>(map: Map<string, Value>, name: string, value: Value, capacity: number): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= capacity) return;
  const first = map.keys().next();
  if (!first.done) map.delete(first.value);
}

/** The network of a caller who can choose any address in it: the /64 of an IPv6 address, or an IPv4 address alone. */
export function callerBlock(address: string): string {
  const known = ipAddress(address);
  if (!known || !('parts' in known)) return known?.toString() ?? address;
  const network = known.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
