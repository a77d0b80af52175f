import { z } from 'zod';

/** Error body. Answers made at the network edge may be something else entirely (Errors). */
export const errorBodySchema = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string() }),
  request_id: z.string(),
});

export type ErrorBody = z.infer<typeof errorBodySchema>;
