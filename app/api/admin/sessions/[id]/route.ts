import { accountRoute, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, recordEnded } from '#lib/server/routes/viewer.ts';

export const DELETE = accountRoute('administer', async (call) => {
  recordEnded(call.audit, actorOf(call), [await call.accounts.endAny(pathSegment(call.request, 3))], 'by_admin');
  return new Response(null, { status: 204 });
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
