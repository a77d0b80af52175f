import type { Instrumentation } from 'next';

// Next builds this for its edge runtime as well: only what is imported within such a condition is left out there.

/** Opens the stores while Next is prepared. The server in front of Next waits for that, and for what keeps them from being opened: then it does not start. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const started = Promise.all([
      import('#lib/server/compose.ts'),
      import('./app/api/live/route.ts'),
      import('#lib/server/routes/viewer.ts'),
      import('#lib/server/routes/sign-in-view.ts'),
    ]).then(async ([{ startRuntime }, { GET }, { knownSession }, { signInState }]) => ({
      runtime: await startRuntime(),
      answerPoll: GET,
      knownSession,
      signInState,
    }));
    Object.assign(globalThis, { [Symbol.for('lookout.started')]: started });
    // Next goes on whatever is thrown, and does not print all of it.
    await started.catch(() => undefined);
  }
}

/** Logs an error of a page: the operator sees its digest, so the log has it too. Queries contain places, and are not logged. */
export const onRequestError: Instrumentation.onRequestError = async (error, { path }, { routePath }) => {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { runtime } = await import('#lib/server/runtime.ts');
    const { digest } = error as { digest?: string };
    runtime().log.error({ err: error, digest, path: path.split('?')[0], route: routePath }, 'a page failed');
  }
};
