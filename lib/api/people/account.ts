import * as z from 'zod/mini';
import { instantText } from '#lib/time/instant-schema.ts';
import { passkeyRowSchema } from './passkey.ts';
import { roleSchema } from './permission.ts';
import { pushAffairsSchema } from './push.ts';
import { NAME_MAX_LENGTH, PASSWORD_MAX_LENGTH } from './session-messages.ts';

const sessionRowSchema = z.object({
  /** Public name of the session; not its secret. */
  id: z.string(),
  /** How the operator signed in. */
  by: z.enum(['password', 'passkey', 'oidc']),
  /** Browser and system, from the User-Agent header. */
  browser: z.string(),
  address: z.string(),
  signed_in_at: instantText,
  /** Last request, to the minute. */
  seen_at: instantText,
  /** The browser keeps the cookie when it closes. */
  kept: z.boolean(),
  /** The session of this request. */
  current: z.boolean(),
});
export type SessionRow = z.infer<typeof sessionRowSchema>;

/** Steps that an operator must take before any other page or route is open. */
const ACCOUNT_NEEDS = ['new-password', 'passkey'] as const;
export type AccountNeed = (typeof ACCOUNT_NEEDS)[number];

const passkeyAffairsSchema = z.object({
  list: z.array(passkeyRowSchema),
  /** The only address where passkeys work. */
  origin: z.nullable(z.string()),
  /** Why passkeys cannot be used here. */
  problem: z.nullable(z.string()),
  /** A password opens only the page where a passkey is added. */
  required: z.boolean(),
  /** This session may change ways to sign in: it was confirmed within the last five minutes. */
  confirmed: z.boolean(),
});
export type PasskeyAffairs = z.infer<typeof passkeyAffairsSchema>;

/** `GET /api/account` */
export const accountAnswerSchema = z.object({
  operator: z.string(),
  role: roleSchema,
  /** The operator has a password; SSO users have none. */
  password: z.boolean(),
  /** The step that the operator must take first. */
  needs: z.nullable(z.enum(ACCOUNT_NEEDS)),
  /** null for an operator of an SSO provider. */
  passkeys: z.nullable(passkeyAffairsSchema),
  sessions: z.array(sessionRowSchema),
  /** Browsers that receive alarms. */
  push: pushAffairsSchema,
});
export type AccountAnswer = z.infer<typeof accountAnswerSchema>;

const passwordText = z.string().check(z.minLength(1), z.maxLength(PASSWORD_MAX_LENGTH));

/** `PUT /api/account/password` */
export const passwordChangeSchema = z.strictObject({ present: passwordText, next: passwordText });

export const endedSchema = z.object({
  /** Number of sessions that ended. */
  ended: z.int().check(z.nonnegative()),
});

const personSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: roleSchema,
  /** A local operator. SSO users are listed while they have a session. */
  in_file: z.boolean(),
  password: z.enum(['none', 'own', 'initial', 'expired']),
  passkeys: z.int(),
  /** Upstream requests that this operator alone caused since midnight UTC or the start. */
  spent_today: z.object({ past: z.int(), first_views: z.int() }),
  /** Browsers that receive alarms by push. Ending all sessions ends them, too. */
  push: z.array(z.string()),
  sessions: z.array(sessionRowSchema),
});
export type Person = z.infer<typeof personSchema>;

/** `GET /api/admin/people` */
export const peopleSchema = z.object({
  people: z.array(personSchema),
  /** Whether `REQUIRE_PASSKEYS` is set. */
  passkeys_required: z.boolean(),
  /** Whether the upstream counts requests. */
  has_allowance: z.boolean(),
});
export type People = z.infer<typeof peopleSchema>;

/** `POST /api/admin/people` */
export const newPersonSchema = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(NAME_MAX_LENGTH)),
  role: roleSchema,
});

/** `PATCH /api/admin/people/ID` */
export const personChangeSchema = z.strictObject({ role: roleSchema });

/** `POST /api/admin/people/ID/password`; without a body, no passkey is removed. */
export const passwordResetSchema = z.strictObject({
  /** Whether all passkeys of the operator are removed in the same change. */
  remove_passkeys: z.boolean(),
});

export const initialPasswordSchema = z.object({
  /** Initial password, shown only once; the first sign-in must replace it. */
  password: z.string(),
  /** When it stops being valid. */
  until: instantText,
});
export type InitialPassword = z.infer<typeof initialPasswordSchema>;
