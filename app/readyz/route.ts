import { runtime } from '#lib/server/runtime.ts';

/** Open to every client: it reports only readiness. */
export async function GET(): Promise<Response> {
  const answer = await runtime().readiness.read();
  return Response.json(answer, { status: answer.ready ? 200 : 503, headers: { 'cache-control': 'no-store' } });
}
export const dynamic = 'force-dynamic';
