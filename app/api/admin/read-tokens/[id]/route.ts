import { pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const DELETE = viewerRoute('administer', async (call) => {
  const { readTokens, audit } = runtime();
  const { name } = await readTokens.revoke(pathSegment(call.request, 3));
  audit.record(actorOf(call), { kind: 'read_token_revoked', token: name });
  return new Response(null, { status: 204 });
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
