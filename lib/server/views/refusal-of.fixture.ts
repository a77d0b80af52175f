import { isApiError } from '#lib/api/error-code.ts';

/** The code of a refusal, or '' for none. */
export async function refusalOf(run: () => unknown): Promise<string> {
  try {
    await run();
    return '';
  } catch (error) {
    if (isApiError(error)) return error.code;
    throw error;
  }
}
