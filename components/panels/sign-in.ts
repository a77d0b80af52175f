import type { ApiErrorCode } from '#lib/api/error-code.ts';
import { errorAnswerSchema } from '#lib/api/error-code.ts';

export type SignInOutcome =
  | { readonly kind: 'signed-in' }
  | {
      readonly kind: 'refused';
      /** A code of the app's own; any other text where the answer was not the app's. */
      readonly code: ApiErrorCode | (string & {});
      /** Seconds to wait, where the answer says so. */
      readonly retryAfterS: number | undefined;
    }
  | { readonly kind: 'unreachable' };

/** Asks for a session. Never throws. */
export async function signIn(name: string, password: string): Promise<SignInOutcome> {
  try {
    const answer = await fetch('/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password }),
    });
    if (answer.ok) return { kind: 'signed-in' };
    const body = errorAnswerSchema.safeParse(await answer.json().catch(() => undefined));
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return {
      kind: 'refused',
      code: body.success ? body.data.error.code : '',
      retryAfterS: Number.isFinite(seconds) ? seconds : undefined,
    };
  } catch {
    return { kind: 'unreachable' };
  }
}
