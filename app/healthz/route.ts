/** The process is up and answers. It says nothing of the upstream. */
export function GET(): Response {
  return new Response('ok\n', { headers: { 'cache-control': 'no-store', 'content-type': 'text/plain' } });
}
export const dynamic = 'force-dynamic';
