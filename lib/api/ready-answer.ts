import * as z from 'zod/mini';

/**
 * What keeps Lookout from being ready:
 * - `leaving`: it was asked to stop, and answers only a little longer
 * - `storage`: `DATA_DIR` cannot be written, for example because its disk is full
 * - `key`: the upstream refused the API key, or it cannot be read
 * - `upstream`: no connection to the upstream could be made since the start
 */
const missingSchema = z.enum(['leaving', 'storage', 'key', 'upstream']);

/** The body of `GET /readyz`. */
export const readyAnswerSchema = z.object({ ready: z.boolean(), missing: z.array(missingSchema) });

export type MissingForReady = z.infer<typeof missingSchema>;
export type ReadyAnswer = z.infer<typeof readyAnswerSchema>;
