import * as z from 'zod/mini';
import { instantText } from '#lib/time/instant-schema.ts';
import { passkeyRowSchema } from './passkey.ts';
import { roleSchema } from './permission.ts';
import { NAME_MAX_LENGTH, PASSWORD_MAX_LENGTH } from './session-messages.ts';

const sessionRowSchema = z.object({
  /** Names it in lists; it cannot be used to sign in. */
  id: z.string(),
  by: z.enum(['password', 'passkey', 'oidc']),
  /** Family and system, as the browser says of itself. */
  browser: z.string(),
  address: z.string(),
  signed_in_at: instantText,
  /** To the minute. */
  seen_at: instantText,
  kept: z.boolean(),
  /** Whether it is the one that asks. */
  current: z.boolean(),
});
export type SessionRow = z.infer<typeof sessionRowSchema>;

/** The step that is required before an operator can open more than their own account. */
const ACCOUNT_NEEDS = ['new-password', 'passkey'] as const;
export type AccountNeed = (typeof ACCOUNT_NEEDS)[number];

const passkeyAffairsSchema = z.object({
  list: z.array(passkeyRowSchema),
  /** The only address where they can be used, or why there is none. */
  origin: z.nullable(z.string()),
  problem: z.nullable(z.string()),
  /** Whether a password opens only the page where a passkey is added. */
  required: z.boolean(),
  /** Whether this session may change passkeys and passwords now: its operator confirmed their identity within the last five minutes. */
  confirmed: z.boolean(),
});
export type PasskeyAffairs = z.infer<typeof passkeyAffairsSchema>;

/** `GET /api/account`. */
export const accountAnswerSchema = z.object({
  operator: z.string(),
  role: roleSchema,
  /** Whether there is a password here; who comes from a provider has none. */
  password: z.boolean(),
  needs: z.nullable(z.enum(ACCOUNT_NEEDS)),
  /** null for who comes from a provider. */
  passkeys: z.nullable(passkeyAffairsSchema),
  sessions: z.array(sessionRowSchema),
});
export type AccountAnswer = z.infer<typeof accountAnswerSchema>;

const passwordText = z.string().check(z.minLength(1), z.maxLength(PASSWORD_MAX_LENGTH));

/** Body of `PUT /api/account/password`. */
export const passwordChangeSchema = z.strictObject({ present: passwordText, next: passwordText });

/** How many sessions were ended. */
export const endedSchema = z.object({ ended: z.int().check(z.nonnegative()) });

const personSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: roleSchema,
  /** Whether they are in the file of operators; others come from a provider, and are listed while they have a session. */
  in_file: z.boolean(),
  password: z.enum(['none', 'own', 'initial', 'expired']),
  passkeys: z.int(),
  /** Requests to the upstream that they alone caused, since midnight UTC or the start of Lookout. */
  spent_today: z.object({ past: z.int(), first_views: z.int() }),
  sessions: z.array(sessionRowSchema),
});
export type Person = z.infer<typeof personSchema>;

/** `GET /api/admin/people`. */
export const peopleSchema = z.object({
  people: z.array(personSchema),
  /** Whether a password only opens the page that adds a passkey, and does nothing for an operator who has one. */
  passkeys_required: z.boolean(),
});
export type People = z.infer<typeof peopleSchema>;

/** Body of `POST /api/admin/people`. */
export const newPersonSchema = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(NAME_MAX_LENGTH)),
  role: roleSchema,
});

/** Body of `PATCH /api/admin/people/ID`. */
export const personChangeSchema = z.strictObject({ role: roleSchema });

/** An operator's initial password, shown this once. It must be changed at the first sign-in, before `until`. */
export const initialPasswordSchema = z.object({ password: z.string(), until: instantText });
export type InitialPassword = z.infer<typeof initialPasswordSchema>;
