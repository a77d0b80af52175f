import { accountRoute, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, recordEnded } from '#lib/server/routes/viewer.ts';

export const POST = accountRoute('administer', async (call) => {
  const { audit } = call;
  const person = pathSegment(call.request, 3);
  const { initial, ended } = await call.accounts.resetPassword(person);
  const actor = actorOf(call);
  audit.record(actor, { kind: 'password_changed', person });
  recordEnded(audit, actor, ended, 'by_admin');
  return Response.json(initial);
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
