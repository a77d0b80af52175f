import { accountRoute, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, recordEnded } from '#lib/server/routes/viewer.ts';

export const DELETE = accountRoute('own-affairs', async (call) => {
  const { request, viewer, accounts, audit } = call;
  recordEnded(audit, actorOf(call), [await accounts.endOwn(viewer, pathSegment(request, 3))], 'by_its_operator');
  return new Response(null, { status: 204 });
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
