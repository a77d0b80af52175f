import { z } from 'zod';

/** Errors. Other bodies come from proxies and portals, not from the service. */
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
