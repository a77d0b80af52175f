import { createHash } from 'node:crypto';
import { KEY_MAX_LIFETIME_MS } from '#lib/contract/limits.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Grant, IssuedKey } from './account.ts';

export interface KeyRequest {
  readonly name: string;
  readonly secret: string;
  readonly createdAt: UpstreamInstant;
  /** Default: as late as the contract allows. */
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

/** Exclusive. */
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
