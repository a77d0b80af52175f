import { runtime } from '#lib/server/runtime.ts';

/** Whether operators can be served, and what is missing for it. Open to everybody: it tells nothing else. */
export async function GET(): Promise<Response> {
  const answer = await runtime().readiness.read();
  return Response.json(answer, { status: answer.ready ? 200 : 503, headers: { 'cache-control': 'no-store' } });
}
export const dynamic = 'force-dynamic';
