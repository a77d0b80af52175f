/** Liveness of the process. It does not check the upstream. */
export function GET(): Response {
  return new Response('ok\n', {
    headers: { 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
  });
}
export const dynamic = 'force-dynamic';
