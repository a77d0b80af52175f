import 'server-only';
import { z } from 'zod';
import { ROLES } from '#lib/api/people/permission.ts';
import { NAME_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import { phcPattern } from './password-hash.ts';

/** Safe on a screen and in a log. */
export const operatorNamePattern = new RegExp(`^[\\p{L}\\p{N}][\\p{L}\\p{N} ._@-]{0,${NAME_MAX_LENGTH - 1}}$`, 'u');

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, { error: 'must be base64url' });

const passkeySchema = z.strictObject({
  id: base64url.max(2048),
  /** COSE; public. */
  public_key: base64url.max(8192),
  name: z.string().min(1).max(NAME_MAX_LENGTH),
  transports: z.array(z.string().max(32)).max(16),
  added_at: z.iso.datetime(),
});

export const operatorSchema = z.strictObject({
  name: z.string().regex(operatorNamePattern),
  role: z.enum(ROLES),
  /** Without it, the operator signs in by passkey alone. */
  password: z.string().regex(phcPattern, { error: 'must be an argon2id hash' }).optional(),
  /** Until then, a password by an admin has to be changed. */
  initial_until: z.iso.datetime().optional(),
  passkeys: z.array(passkeySchema).max(20),
});
export type OperatorEntry = z.infer<typeof operatorSchema>;
