import 'server-only';
import { createHash } from 'node:crypto';
import { NAME_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import { comparableAddress, type OidcAttributes } from './oidc-policy.ts';

export interface OidcUser extends OidcAttributes {
  readonly issuer: string;
  readonly subject: string;
  /** The name need not be unique. */
  readonly name: string;
}

export type Claims = Readonly<Record<string, unknown>>;

/** The provider's assertions about one subject. */
export interface ProvenClaims {
  readonly idToken: Claims;
  /** Adds what the token lacks. */
  readonly userinfo: Claims;
}

export type OidcUserResult =
  | {
      readonly ok: true;
      readonly person: OidcUser;
      /** Claims that count as not sent, with the reason, never with a value: `name (empty)`. */
      readonly leftOut: readonly string[];
      /** The user is in more groups than the provider puts into a token. */
      readonly hasGroupsElsewhere: boolean;
      readonly hasUnverifiedAddress: boolean;
    }
  /** Names the claim, never its value. */
  | { readonly ok: false; readonly problem: string };

/** OpenID Connect Core 1.0, section 2. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
/** Control characters, and those that reverse text: names are shown and logged. */
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;
const VISIBLE = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Only the subject is required: any other claim that is empty or unreadable counts as not sent, and grants nothing. */
export function oidcUser(issuer: string, { idToken, userinfo }: ProvenClaims, groupsClaim: string): OidcUserResult {
  const { sub } = idToken;
  if (typeof sub !== 'string' || !SUBJECT.test(sub))
    return { ok: false, problem: 'the claim sub is not 1 to 255 ASCII characters' };
  const sources = [idToken, userinfo];
  const leftOut: string[] = [];
  const text = (claim: string) => firstRead(sources, claim, readText, leftOut);
  const [name, username, email] = [text('name'), text('preferred_username'), text('email')];
  const groups = firstRead(sources, groupsClaim, readGroups, leftOut);
  const hasGroupsElsewhere = groups === undefined && sources.some((claims) => refersToGroups(claims, groupsClaim));
  if (hasGroupsElsewhere) leftOut.push(`${groupsClaim} (too many: the provider sends a reference to them)`);
  const verifiedAddress = email === undefined ? undefined : verified(email, sources, leftOut);
  return {
    ok: true,
    person: {
      issuer,
      subject: sub,
      name: shortened(name ?? username ?? email ?? sub),
      groups: groups ?? [],
      verifiedAddress,
    },
    leftOut: [...new Set(leftOut)],
    hasGroupsElsewhere,
    hasUnverifiedAddress: email !== undefined && verifiedAddress === undefined,
  };
}

/** Whether the userinfo endpoint may add a claim. */
export function lacksClaims(idToken: Claims, groupsClaim: string): boolean {
  return ['name', 'email', 'email_verified', groupsClaim].some((claim) => isEmpty(claimAt(idToken, claim)));
}

/** The id of an SSO user. It has a colon, which operators' names cannot have. */
export function oidcOperatorId(issuer: string, subject: string): string {
  const hash = createHash('sha256').update(`${issuer}\0${subject}`).digest('base64url');
  return `oidc:${hash.slice(0, 22)}`;
}

interface Read<Value> {
  readonly value?: Value;
  readonly oddity?: string | undefined;
}

function firstRead<Value>(
  sources: readonly Claims[],
  claim: string,
  read: (value: unknown) => Read<Value>,
  leftOut: string[],
): Value | undefined {
  for (const claims of sources) {
    const sent = claimAt(claims, claim);
    if (sent === undefined) continue;
    const { value, oddity } = read(sent);
    if (oddity !== undefined) leftOut.push(`${claim} (${oddity})`);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The claim of exactly this name, which may contain dots, before a path such as `realm_access.roles`. */
function claimAt(claims: unknown, path: string): unknown {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return undefined;
  const own = (name: string) => (Object.hasOwn(claims, name) ? (claims as Claims)[name] : undefined);
  const value = own(path);
  if (value !== undefined) return value;
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const inner = claimAt(own(path.slice(0, dot)), path.slice(dot + 1));
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function readText(value: unknown): Read<string> {
  const oddity = oddityOf(typeof value === 'string' ? value.trim() : value);
  return oddity === undefined ? { value: (value as string).trim() } : { oddity };
}

/** A text is one group: names contain commas and spaces. */
function readGroups(value: unknown): Read<readonly string[]> {
  if (!Array.isArray(value) || value.length === 0) {
    const oddity = oddityOf(value);
    return oddity === undefined ? { value: [value as string] } : { oddity };
  }
  const oddities = new Map<string, number>();
  const groups = value.filter((entry) => {
    const oddity = oddityOf(entry);
    if (oddity !== undefined) oddities.set(oddity, (oddities.get(oddity) ?? 0) + 1);
    return oddity === undefined;
  });
  const counts = [...oddities].map(([oddity, count]) => `${count} of ${value.length} entries: ${oddity}`);
  return {
    ...(groups.length > 0 ? { value: groups } : {}),
    oddity: counts.length > 0 ? counts.join(', ') : undefined,
  };
}

/** @returns `undefined` for a text that can be shown */
function oddityOf(value: unknown): string | undefined {
  if (isEmpty(value)) return 'empty';
  if (typeof value !== 'string') return kindOf(value);
  return UNSHOWABLE.test(value) ? 'characters that cannot be shown' : undefined;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return !VISIBLE.test(value) && !UNSHOWABLE.test(value);
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    default:
      return 'an object';
  }
}

/** An address counts only as verified by the first source that says anything about the same one. */
function verified(email: string, sources: readonly Claims[], leftOut: string[]): string | undefined {
  const address = comparableAddress(email);
  if (address === undefined) {
    leftOut.push('email (not an address in ASCII)');
    return undefined;
  }
  const { email_verified } =
    sources.find(
      (claims) =>
        typeof claims.email === 'string' &&
        comparableAddress(claims.email.trim()) === address &&
        (claims.email_verified ?? undefined) !== undefined,
    ) ?? {};
  if (email_verified !== undefined && typeof email_verified !== 'boolean')
    leftOut.push(`email_verified (${kindOf(email_verified)} in place of true or false)`);
  return email_verified === true ? address : undefined;
}

/** OpenID Connect Core 1.0, section 5.6.2, which Microsoft Entra ID uses above 200 groups; or its `hasgroups`. */
function refersToGroups(claims: Claims, groupsClaim: string): boolean {
  const { _claim_names: names, hasgroups } = claims;
  const isNamed = typeof names === 'object' && names !== null && Object.hasOwn(names, groupsClaim);
  return isNamed || (groupsClaim === 'groups' && (hasgroups === true || hasgroups === 'true'));
}

function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= NAME_MAX_LENGTH ? name : `${characters.slice(0, NAME_MAX_LENGTH - 1).join('')}…`;
}
