import * as z from 'zod/mini';
import { type Role, roleSchema } from './permission.ts';

/** Counts characters. */
export const NAME_MAX_LENGTH = 64;
export const PASSWORD_MAX_LENGTH = 128;

/** `POST /api/session` */
export const signInBodySchema = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(NAME_MAX_LENGTH)),
  password: z.string().check(z.minLength(1), z.maxLength(PASSWORD_MAX_LENGTH)),
  /** The browser keeps the session when it closes; default: false. */
  kept: z._default(z.boolean(), false),
});

/** `POST /api/session/wall` */
export const wallBodySchema = z.strictObject({
  /** Of the wall's address. */
  token: z.string().check(z.maxLength(100)),
});

/**
 * `GET /api/session`.
 * @public docs/api.md is made from it
 */
export const sessionAnswerSchema = z.object({
  /** null where no sign-in is needed. */
  operator: z.nullable(z.string()),
  role: roleSchema,
  sign_in_required: z.boolean(),
});
export interface SignedInOperator {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export type SessionAnswer = z.infer<typeof sessionAnswerSchema>;
