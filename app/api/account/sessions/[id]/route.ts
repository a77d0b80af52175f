import { actorOf } from '#lib/server/routes/actor-of.ts';
import { recordEnded } from '#lib/server/routes/record-ended.ts';
import { accountRoute, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';

export const DELETE = accountRoute('own-affairs', async (call) => {
  const { request, viewer, accounts, audit } = call;
  recordEnded(audit, actorOf(call), [await accounts.endOwn(viewer, pathSegment(request, 3))], 'by_its_operator');
  return new Response(null, { status: 204 });
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
