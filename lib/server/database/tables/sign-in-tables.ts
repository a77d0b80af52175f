import 'server-only';
import type { Role } from '#lib/api/people/permission.ts';
import type { MakesTables } from './table-form.ts';

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

export const makesSignInTables: MakesTables = ({ text, integer, unlogged, end }) => [
  `create table operator (
    name ${text} primary key,
    role ${text} not null,
    password ${text},
    initial_until_ms ${integer}
  ) ${end}`,
  `create table passkey (
    id ${text} primary key,
    operator ${text} not null references operator (name) on delete cascade,
    public_key ${text} not null,
    name ${text} not null,
    transports ${text} not null,
    added_ms ${integer} not null
  ) ${end}`,
  'create index passkey_operator on passkey (operator)',
  `create table session (
    key ${text} primary key,
    operator ${text} not null,
    source ${text} not null,
    credential_digest ${text} not null,
    person ${text},
    browser ${text} not null,
    address ${text} not null,
    kept ${integer} not null,
    signed_in_ms ${integer} not null,
    seen_ms ${integer} not null
  ) ${end}`,
  'create index session_operator on session (operator)',
  `create table passkey_count (id_digest ${text} primary key, count ${integer} not null) ${end}`,
  `create ${unlogged} table short_lived (
    kind ${text} not null,
    of_digest ${text} not null,
    value ${text} not null,
    sender ${text},
    kept_ms ${integer} not null,
    number ${integer} not null,
    primary key (kind, of_digest)
  ) ${end}`,
  'create index short_lived_sender on short_lived (kind, sender, kept_ms)',
  'create index short_lived_time on short_lived (kind, kept_ms)',
  `create ${unlogged} table tally (
    kind ${text} not null,
    of_digest ${text} not null,
    count ${integer} not null,
    counted_until_ms ${integer} not null,
    delayed_until_ms ${integer} not null,
    ends_ms ${integer} not null,
    primary key (kind, of_digest)
  ) ${end}`,
  'create index tally_end on tally (kind, ends_ms)',
  `create table secret (name ${text} primary key, value ${text} not null) ${end}`,
];
