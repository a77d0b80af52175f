import { accountRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, recordEnded } from '#lib/server/routes/viewer.ts';

export const DELETE = accountRoute('own-affairs', async (call) => {
  const ended = await call.accounts.endOthers(call.viewer);
  recordEnded(call.audit, actorOf(call), ended, 'by_its_operator');
  return Response.json({ ended: ended.length });
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
