import { z } from 'zod';

/** Body of `POST /api/session`. */
export const signInBodySchema = z.strictObject({
  name: z.string().min(1).max(64),
  password: z.string().min(1).max(128),
});

/** `GET /api/session`. `operator` is null where no sign-in is needed. */
export interface SessionAnswer {
  readonly operator: string | null;
  readonly sign_in_required: boolean;
}
