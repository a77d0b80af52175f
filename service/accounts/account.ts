import type { Layer, Scope } from '#lib/contract/operation.ts';
import { LAYERS, MODES, scopeOf } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/** A stored key. The secret itself is shown once and never stored. */
export interface IssuedKey {
  readonly name: string;
  /** SHA-256 of the secret. */
  readonly digest: Uint8Array;
  readonly createdAt: UpstreamInstant;
  /** Exclusive: at this instant the key is refused. */
  readonly expiresAt: UpstreamInstant;
  /** `null` while the key is in use. */
  readonly revokedAt: UpstreamInstant | null;
}

/** What an administrator approved. It may be revoked or shortened while its keys are still valid. */
export interface Grant {
  readonly active: boolean;
  /** Exclusive. */
  readonly expiresAt: UpstreamInstant;
}

export interface Allowance {
  readonly perMinute: number;
  readonly perDay: number;
}

/** Scopes, lookback and allowance belong to the account; every key of it shares them (Authentication, Quota rules). */
export interface Account {
  readonly id: string;
  readonly grant: Grant;
  readonly scopes: ReadonlySet<Scope>;
  /** How far back history may be read, in whole days, 1 to 30. */
  readonly lookbackDays: number;
  readonly allowance: Allowance;
  readonly keys: readonly IssuedKey[];
}

export const ALL_SCOPES: readonly Scope[] = MODES.flatMap((mode) => LAYERS.map((layer: Layer) => scopeOf(mode, layer)));
