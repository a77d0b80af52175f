import { wallBodySchema } from '#lib/api/people/session-messages.ts';
import { openRoute, parseBody, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, beginWall } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = openRoute(async (call) => {
  const { readTokens, audit } = runtime();
  const { token: secret } = await parseBody(call.request, wallBodySchema);
  const token = await readTokens.accept(secret, 'wall');
  const { name } = token;
  await beginWall(call.request, token, secret);
  audit.record({ ...actorOf(call), operator: { id: `token:${name}`, name } }, { kind: 'wall_opened', token: name });
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
