import { accountRoute, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, recordEnded } from '#lib/server/routes/viewer.ts';

export const DELETE = accountRoute('administer', async (call) => {
  const ended = await call.accounts.endAll(pathSegment(call.request, 3));
  recordEnded(call.audit, actorOf(call), ended, 'by_admin');
  return Response.json({ ended: ended.length });
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
