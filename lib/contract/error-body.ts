import { z } from 'zod';

/** Error body (Errors). A proxy at the network edge may return something else. */
export const errorBodySchema = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string() }),
  request_id: z.string(),
});

export type ErrorBody = z.infer<typeof errorBodySchema>;
