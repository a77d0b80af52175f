import 'server-only';
import type { Role } from '#lib/api/people/permission.ts';

export type OidcEntry =
  | { readonly kind: 'everyone' }
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'address'; readonly address: string }
  /** The domain is in lower case, without the @. */
  | { readonly kind: 'domain'; readonly domain: string };

export interface OidcAttributes {
  readonly groups: readonly string[];
  readonly verifiedAddress: string | undefined;
}

export interface OidcPolicy {
  readonly admins: readonly OidcEntry[];
  readonly operators: readonly OidcEntry[];
  readonly viewers: readonly OidcEntry[];
}

/**
 * The form in which addresses are compared. It is only ASCII: case folding of other characters would merge mailboxes.
 * @returns in lower case; `undefined` for other addresses
 */
export function comparableAddress(text: string): string | undefined {
  return text.length <= ADDRESS_MAX_LENGTH && /^[\x21-\x3f\x41-\x7e]+@[A-Za-z0-9.-]+$/.test(text)
    ? text.toLowerCase()
    : undefined;
}

const ADDRESS_MAX_LENGTH = 254;

/** One entry of a list, in double quotes or without commas. */
const LISTED = /\s*(?:"((?:[^"]|"")*)"|([^",]+?)|)\s*(?:,|$)/y;
/** An attribute of a distinguished name after its first: it has lost its quotes. */
const CUT_NAME = /^(?:CN|OU|DC|O|L|ST|C|UID)=/i;

/**
 * `*` is everyone, `name@host` an address, `@host` all addresses of exactly that host. Others are groups, with `group:`
 * before ambiguous names. Double quotes enclose an entry with commas; a quote within them is written twice.
 * @returns or a problem that follows the setting's name
 */
export function oidcEntries(text: string): readonly OidcEntry[] | string {
  const entries: OidcEntry[] = [];
  for (let at = 0, before = ''; at < text.length; at = LISTED.lastIndex) {
    LISTED.lastIndex = at;
    const [listed, quoted, bare = ''] = LISTED.exec(text) ?? [];
    if (listed === undefined)
      return 'has a double quote that is not closed, or text next to one: write "CN=Tower,OU=Field", with a quote within a name twice';
    if (CUT_NAME.test(before) && CUT_NAME.test(bare))
      return 'has a distinguished name that is cut at its commas: put it into double quotes, as in \'"CN=Tower,OU=Field", @example.org\'';
    before = bare;
    const name = quoted?.replaceAll('""', '"') ?? bare;
    if (name === '') continue;
    const entry = oidcEntry(name);
    if (!entry)
      return 'must be groups, addresses such as bob@example.org, @example.org for all of a host, or *, separated by commas';
    entries.push(entry);
  }
  return entries;
}

function oidcEntry(text: string): OidcEntry | undefined {
  if (text === '*') return { kind: 'everyone' };
  if (text.startsWith('group:')) {
    const name = text.slice('group:'.length);
    return name === '' ? undefined : { kind: 'group', name };
  }
  if (!text.includes('@')) return { kind: 'group', name: text };
  const address = comparableAddress(text.startsWith('@') ? `any${text}` : text);
  if (address === undefined) return undefined;
  return text.startsWith('@') ? { kind: 'domain', domain: text.slice(1).toLowerCase() } : { kind: 'address', address };
}

export function oidcRole({ admins, operators, viewers }: OidcPolicy, attributes: OidcAttributes): Role | undefined {
  const named = (entries: readonly OidcEntry[]) => entries.some((entry) => names(entry, attributes));
  if (named(admins)) return 'admin';
  if (named(operators)) return 'operator';
  return named(viewers) ? 'viewer' : undefined;
}

function names(entry: OidcEntry, { groups, verifiedAddress }: OidcAttributes): boolean {
  switch (entry.kind) {
    case 'everyone':
      return true;
    case 'group':
      return groups.includes(entry.name);
    case 'address':
      return verifiedAddress === entry.address;
    case 'domain':
      return verifiedAddress?.slice(verifiedAddress.lastIndexOf('@') + 1) === entry.domain;
  }
}
