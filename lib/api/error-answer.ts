import { z } from 'zod';

/** Every refusal of the app's own API. */
export const errorAnswerSchema = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
  request_id: z.string(),
});

export type ErrorAnswer = z.infer<typeof errorAnswerSchema>;
