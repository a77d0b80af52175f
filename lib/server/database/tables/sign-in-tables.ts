import 'server-only';
import type { Role } from '#lib/api/people/permission.ts';

/** Names of any origin are digested, since they may be long or have any characters. */
export interface SignInTables {
  readonly operator: {
    readonly name: string;
    readonly role: Role;
    /** An argon2id hash; without one, a passkey is needed. */
    readonly password: string | null;
    readonly initial_until_ms: number | null;
  };
  readonly passkey: {
    readonly id: string;
    readonly operator: string;
    readonly public_key: string;
    readonly name: string;
    readonly transports: string;
    readonly added_ms: number;
  };
  readonly session: {
    /** The digest of its id: reading the table opens no session. */
    readonly key: string;
    readonly operator: string;
    readonly source: 'password' | 'passkey' | 'oidc';
    readonly credential_digest: string;
    /** Of single sign-on, as JSON. */
    readonly person: string | null;
    readonly browser: string;
    readonly address: string;
    readonly kept: 0 | 1;
    readonly signed_in_ms: number;
    readonly seen_ms: number;
  };
  readonly passkey_count: { readonly id_digest: string; readonly count: number };
  readonly short_lived: {
    readonly kind: string;
    readonly of_digest: string;
    readonly value: string;
    readonly sender: string | null;
    readonly kept_ms: number;
    /** Orders events of one server within a millisecond. */
    readonly number: number;
  };
  readonly tally: {
    readonly kind: string;
    readonly of_digest: string;
    readonly count: number;
    readonly counted_until_ms: number;
    readonly delayed_until_ms: number;
    /** The later of both. */
    readonly ends_ms: number;
  };
  readonly secret: { readonly name: string; readonly value: string };
}
