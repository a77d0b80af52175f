import type { Instrumentation } from 'next';

/** Runs once before the first request, so that a wrong setting stops the start and not the first operator's request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { runtime } = await import('#lib/server/runtime.ts');
  runtime();
}

/** Logs an error of a page: the operator sees its digest, so the log has it too. Queries contain places, and are not logged. */
export const onRequestError: Instrumentation.onRequestError = async (error, { path }, { routePath }) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { runtime } = await import('#lib/server/runtime.ts');
  const { digest } = error as { digest?: string };
  runtime().log.error({ err: error, digest, path: path.split('?')[0], route: routePath }, 'a page failed');
};
