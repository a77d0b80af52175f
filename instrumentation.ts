import type { Instrumentation } from 'next';

/** Opens the stores while Next is prepared. What keeps them from being opened is read by the server in front of Next, which then does not start. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  try {
    const { runtime } = await import('#lib/server/runtime.ts');
    runtime();
  } catch (error) {
    // Next goes on whatever is thrown, and does not print all of it.
    Object.assign(globalThis, { [Symbol.for('lookout.start-problem')]: error });
  }
}

/** Logs an error of a page: the operator sees its digest, so the log has it too. Queries contain places, and are not logged. */
export const onRequestError: Instrumentation.onRequestError = async (error, { path }, { routePath }) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { runtime } = await import('#lib/server/runtime.ts');
  const { digest } = error as { digest?: string };
  runtime().log.error({ err: error, digest, path: path.split('?')[0], route: routePath }, 'a page failed');
};
