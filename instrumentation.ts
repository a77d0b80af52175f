/** Run once before the first request: a wrong setting stops the start, and does not wait for the first operator. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { runtime } = await import('#lib/server/runtime.ts');
  runtime();
}
