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

/**
 * Makes the record of a new key. It expires with its grant, and at most 365 days after its creation (Authentication).
 */
export function issueKey(request: KeyRequest, grant: Grant): IssuedKey {
  const latest = earlier(addMs(request.createdAt, KEY_MAX_LIFETIME_MS), grant.expiresAt);
  return {
    name: request.name,
    digest: keyDigest(request.secret),
    createdAt: request.createdAt,
    expiresAt: earlier(request.expiresAt ?? latest, latest),
    revokedAt: null,
  };
}

function earlier(one: UpstreamInstant, other: UpstreamInstant): UpstreamInstant {
  return one < other ? one : other;
}

export function keyDigest(secret: string): Uint8Array {
  return createHash('sha256').update(secret, 'utf8').digest();
}
