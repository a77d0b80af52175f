import { wallBodySchema } from '#lib/api/people/session-messages.ts';
import { openRoute, parseBody, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, beginWall } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = openRoute(async (call) => {
  const { token } = await parseBody(call.request, wallBodySchema);
  const { name } = await beginWall(call.request, token);
  const operator = { id: `token:${name}`, name };
  runtime().audit.record({ ...actorOf(call), operator }, { kind: 'wall_opened', token: name });
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
