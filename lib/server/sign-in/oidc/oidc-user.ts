import 'server-only';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { NAME_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import { comparableAddress, type OidcAttributes } from './oidc-policy.ts';

export interface OidcUser extends OidcAttributes {
  readonly issuer: string;
  readonly subject: string;
  /** Not unique. */
  readonly name: string;
}

const GROUPS_MAX = 2000;

/** Shown and logged: no control characters, and none that reverse text. */
const text = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]*$/u, {
      error: 'contains characters that cannot be shown',
    });

const groupName = text(256);
const groupsSchema = z.union([groupName.transform((name) => [name]), z.array(groupName).max(GROUPS_MAX)]);

/** OpenID Connect Core 1.0, sections 2 and 5.1. */
const claimsSchema = z.object({
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/, { error: 'is not 1 to 255 ASCII characters' }),
  name: text(256).optional(),
  preferred_username: text(256).optional(),
  email: text(254).optional(),
  email_verified: z.unknown(),
});

export type PersonResult =
  | { readonly ok: true; readonly person: OidcUser }
  /** Names the unusable claim, never its value. */
  | { readonly ok: false; readonly problem: string };

/** @param userinfo adds what the token lacks */
export function oidcUser(
  issuer: string,
  idToken: Readonly<Record<string, unknown>>,
  userinfo: Readonly<Record<string, unknown>>,
  groupsClaim: string,
): PersonResult {
  const claims = { ...userinfo, ...idToken };
  // Each address needs `email_verified` of its own source.
  const { email_verified } = Object.hasOwn(idToken, 'email') ? idToken : userinfo;
  const known = claimsSchema.safeParse({ ...claims, email_verified });
  const groups = Object.hasOwn(claims, groupsClaim) ? groupsSchema.safeParse(claims[groupsClaim]) : noGroups;
  if (!known.success) return { ok: false, problem: problemOf(known.error, 'claim') };
  if (!groups.success) return { ok: false, problem: problemOf(groups.error, groupsClaim) };
  const { sub, name, preferred_username, email } = known.data;
  return {
    ok: true,
    person: {
      issuer,
      subject: sub,
      name: shortened([name, preferred_username, email].find((text) => text?.trim()) ?? sub),
      groups: groups.data,
      verifiedAddress: known.data.email_verified === true && email !== undefined ? comparableAddress(email) : undefined,
    },
  };
}

/** Has a colon, which operators' names cannot have. */
export function oidcOperatorId(issuer: string, subject: string): string {
  const hash = createHash('sha256').update(`${issuer}\0${subject}`).digest('base64url');
  return `oidc:${hash.slice(0, 22)}`;
}

const noGroups = { success: true, data: [] } as const;

function shortened(name: string): string {
  const characters = [...name.trim()];
  return characters.length <= NAME_MAX_LENGTH
    ? characters.join('')
    : `${characters.slice(0, NAME_MAX_LENGTH - 1).join('')}…`;
}

function problemOf(error: z.ZodError, fallback: string): string {
  const [issue] = error.issues;
  const claim = typeof issue?.path[0] === 'string' ? issue.path[0] : fallback;
  return `the claim ${claim} ${issue?.code === 'custom' || issue?.code === 'invalid_format' ? issue.message : 'is missing, of another type, or too long'}`;
}
