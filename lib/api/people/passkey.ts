import * as z from 'zod/mini';
import { instantText } from '#lib/time/instant-schema.ts';
import { NAME_MAX_LENGTH, PASSWORD_MAX_LENGTH } from './session-messages.ts';

/** Base64url, as WebAuthn allows. */
const idText = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,2048}$/, 'must be base64url'));
const bytesText = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,12000}$/, 'must be base64url'));

/** Drops other fields that browsers add. */
const common = { id: idText, rawId: idText, type: z.literal('public-key') };

/** The browser's description of a new passkey. */
const attestationSchema = z.object({
  ...common,
  response: z.object({
    clientDataJSON: bytesText,
    attestationObject: bytesText,
    transports: z._default(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(16)), []),
  }),
});
export type Attestation = z.infer<typeof attestationSchema>;

const assertionSchema = z.object({
  ...common,
  response: z.object({
    clientDataJSON: bytesText,
    authenticatorData: bytesText,
    signature: bytesText,
    userHandle: z.optional(z.string().check(z.maxLength(128))),
  }),
});
export type Assertion = z.infer<typeof assertionSchema>;

/** Keys and their ids may be long. */
export const PASSKEY_BODY_MAX_BYTES = 32_768;

/** `POST /api/session/passkey` */
export const passkeySignInSchema = z.strictObject({
  passkey: assertionSchema,
  /** The browser keeps the session when it closes; default: false. */
  kept: z._default(z.boolean(), false),
});

/** `POST /api/account/confirmation` */
export const confirmationSchema = z.union([
  z.strictObject({ password: z.string().check(z.minLength(1), z.maxLength(PASSWORD_MAX_LENGTH)) }),
  z.strictObject({ passkey: assertionSchema }),
]);
export type Confirmation = z.infer<typeof confirmationSchema>;

const passkeyName = z.pipe(
  z.string().check(z.maxLength(4 * NAME_MAX_LENGTH)),
  z.pipe(
    z.transform((text: string) => text.normalize('NFC').trim().replace(/ +/g, ' ')),
    z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(NAME_MAX_LENGTH),
        z.regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must be plain text on one line'),
      ),
  ),
);

/** `POST /api/account/passkeys` */
export const newPasskeySchema = z.strictObject({ name: passkeyName, passkey: attestationSchema });

/** The id is public. */
export const passkeyRowSchema = z.object({ id: z.string(), name: z.string(), added_at: instantText });

const challenge = { challenge: z.string(), timeout: z.int() };
const known = z.array(z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()) }));

export const assertionOptionsSchema = z.object({
  ...challenge,
  rpId: z.string(),
  allowCredentials: known,
  userVerification: z.literal('required'),
});

export const attestationOptionsSchema = z.object({
  ...challenge,
  rp: z.object({ name: z.string(), id: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: z.literal('public-key') })),
  excludeCredentials: known,
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
});
