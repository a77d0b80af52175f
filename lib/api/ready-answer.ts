import * as z from 'zod/mini';

const missingSchema = z.enum([
  // The server stops.
  'leaving',
  // A newer Lookout has migrated the database, or its tables were changed: replace this server, or see its log.
  'schema',
  // DATA_DIR cannot be written: the disk may be full.
  'storage',
  // The upstream refused it, or its file cannot be read.
  'key',
  // No connection since the start.
  'upstream',
]);

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
