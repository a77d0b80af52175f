import type { Instrumentation } from 'next';

/** Run once before the first request: a wrong setting stops the start, and does not wait for the first operator. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { runtime } = await import('#lib/server/runtime.ts');
  runtime();
}

/** An error while a page was made: its operator sees the digest, so the log has it too. Queries hold places, and are left out. */
export const onRequestError: Instrumentation.onRequestError = async (error, { path }, { routePath }) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { runtime } = await import('#lib/server/runtime.ts');
  const { digest } = error as { digest?: string };
  runtime().log.error({ err: error, digest, path: path.split('?')[0], route: routePath }, 'a page failed');
};
