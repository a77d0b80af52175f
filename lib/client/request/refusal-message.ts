import { errorAnswerSchema } from '#lib/api/error-code.ts';

export const NO_ANSWER_MESSAGE = 'No answer from Lookout’s own server.';

/** A default if the response has none. */
export async function refusalMessage(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  return errorAnswerSchema.safeParse(body).data?.error.message ?? NO_ANSWER_MESSAGE;
}
