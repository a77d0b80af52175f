import type { Layer, Scope } from '#lib/contract/operation.ts';
import { LAYERS, MODES, scopeOf } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

export interface KeyValidity {
  /** At this instant the key is refused. */
  readonly expiresAt: UpstreamInstant;
  /** `null` while the key is in use. */
  readonly revokedAt: UpstreamInstant | null;
}

export interface IssuedKey extends KeyValidity {
  readonly name: string;
  /** SHA-256 of the secret, which is never stored. */
  readonly digest: Uint8Array;
  readonly createdAt: UpstreamInstant;
}

export interface Grant {
  readonly active: boolean;
  /** At this instant the grant has expired; null: it lasts until it is revoked. */
  readonly expiresAt: UpstreamInstant | null;
}

export interface Allowance {
  readonly perMinute: number;
  readonly perDay: number;
}

/** An account as a request needs it. All of its keys share it (Authentication, Quota rules). */
export interface Account {
  readonly id: string;
  readonly grant: Grant;
  readonly scopes: ReadonlySet<Scope>;
  /** How far back history may be read: whole days, from 1 to 30. */
  readonly lookbackDays: number;
  readonly allowance: Allowance;
}

export const ALL_SCOPES: readonly Scope[] = MODES.flatMap((mode) => LAYERS.map((layer: Layer) => scopeOf(mode, layer)));
