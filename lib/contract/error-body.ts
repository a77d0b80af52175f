import { z } from 'zod';

/** Errors. Only an answer with it is the service's own refusal: proxies and portals write other ones. */
export const errorBodySchema = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string() }),
  request_id: z.string(),
});

export type ErrorBody = z.infer<typeof errorBodySchema>;

export function isErrorBody(text: string): boolean {
  try {
    return errorBodySchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
