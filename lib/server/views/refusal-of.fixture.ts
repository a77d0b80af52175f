import { isApiError } from '#lib/api/error-code.ts';

export async function refusalOf(run: () => unknown): Promise<string> {
  try {
    await run();
    return '';
  } catch (error) {
    if (isApiError(error)) return error.code;
    throw error;
  }
}
