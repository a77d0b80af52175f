import { actorOf } from '#lib/server/routes/actor-of.ts';
import { recordEnded } from '#lib/server/routes/record-ended.ts';
import { accountRoute, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';

export const DELETE = accountRoute('administer', async (call) => {
  recordEnded(call.audit, actorOf(call), [await call.accounts.endAny(pathSegment(call.request, 3))], 'by_admin');
  return new Response(null, { status: 204 });
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
