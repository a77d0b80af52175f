import type { Layer, Scope } from '#lib/contract/operation.ts';
import { LAYERS, MODES, scopeOf } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/** When a key may be used. */
export interface KeyValidity {
  /** Exclusive: at this instant the key is refused. */
  readonly expiresAt: UpstreamInstant;
  /** `null` while the key is in use. */
  readonly revokedAt: UpstreamInstant | null;
}

/** A stored key. The secret itself is shown once and never stored. */
export interface IssuedKey extends KeyValidity {
  readonly name: string;
  /** SHA-256 of the secret. */
  readonly digest: Uint8Array;
  readonly createdAt: UpstreamInstant;
}

/** An approved access. It may be revoked or shortened while its keys are still valid. */
export interface Grant {
  readonly active: boolean;
  /** Exclusive; null: until it is revoked. */
  readonly expiresAt: UpstreamInstant | null;
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
}

export const ALL_SCOPES: readonly Scope[] = MODES.flatMap((mode) => LAYERS.map((layer: Layer) => scopeOf(mode, layer)));
