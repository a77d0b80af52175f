import * as z from 'zod/mini';

/**
 * What keeps Lookout from being ready:
 * - `leaving`: the server is stopping
 * - `storage`: `DATA_DIR` cannot be written, for example because its disk is full
 * - `key`: the upstream refused the API key, or its file cannot be read
 * - `upstream`: no connection to the upstream has succeeded since the start
 */
const missingSchema = z.enum(['leaving', 'storage', 'key', 'upstream']);

/**
 * The body of `GET /readyz`.
 * @public docs/api.md is made from it
 */
export const readyAnswerSchema = z.object({
  /** This server can serve operators. */
  ready: z.boolean(),
  /** Causes, if it is not ready. */
  missing: z.array(missingSchema),
});

export type MissingForReady = z.infer<typeof missingSchema>;
export type ReadyAnswer = z.infer<typeof readyAnswerSchema>;
