import * as z from 'zod/mini';
import { type Role, roleSchema } from './permission.ts';

/** In characters; operators are created with at most these lengths. */
export const NAME_MAX_LENGTH = 64;
export const PASSWORD_MAX_LENGTH = 128;

/** Body of `POST /api/session`. */
export const signInBodySchema = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(NAME_MAX_LENGTH)),
  password: z.string().check(z.minLength(1), z.maxLength(PASSWORD_MAX_LENGTH)),
  /** Whether the browser keeps the session when it is closed. */
  kept: z._default(z.boolean(), false),
});

/** `GET /api/session`. `operator` is null if no sign-in is required. */
export const sessionAnswerSchema = z.object({
  operator: z.nullable(z.string()),
  role: roleSchema,
  sign_in_required: z.boolean(),
});
/** The viewer of the page. */
export interface SignedInOperator {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export type SessionAnswer = z.infer<typeof sessionAnswerSchema>;
