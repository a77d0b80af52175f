import { bearerRoute, refuseMethod, refuseQuery } from '#lib/server/routes/route.ts';
import { actorOf, beginWall } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = bearerRoute('wall', async (call) => {
  refuseQuery(call.request);
  await beginWall(call.request, call.reader, call.secret);
  const { name } = call.reader;
  const operator = { id: `token:${name}`, name };
  runtime().audit.record({ ...actorOf(call), operator }, { kind: 'wall_opened', token: name });
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
