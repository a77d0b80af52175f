import * as z from 'zod/mini';

/** In characters; operators are created with at most these lengths. */
export const NAME_MAX_LENGTH = 64;
export const PASSWORD_MAX_LENGTH = 128;

/** Body of `POST /api/session`. */
export const signInBodySchema = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(NAME_MAX_LENGTH)),
  password: z.string().check(z.minLength(1), z.maxLength(PASSWORD_MAX_LENGTH)),
});

/** `GET /api/session`. `operator` is null if no sign-in is required. */
export interface SessionAnswer {
  readonly operator: string | null;
  readonly sign_in_required: boolean;
}
