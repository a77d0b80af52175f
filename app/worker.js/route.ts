import { WORKER_SCRIPT } from '#lib/client/app/app-worker.ts';

/** Browsers ask for it at each opened page, and replace the worker when a byte differs. */
export function GET(): Response {
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' };
  return new Response(WORKER_SCRIPT, { headers });
}
