import { accountRoute, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, recordEnded } from '#lib/server/routes/viewer.ts';

export const DELETE = accountRoute('own-affairs', async (call) => {
  const { request, viewer, passkeys, audit } = call;
  const { name, ended } = await passkeys.remove(viewer, pathSegment(request, 3));
  const actor = actorOf(call);
  audit.record(actor, { kind: 'passkey_removed', person: viewer.operator.id, passkey: name });
  recordEnded(audit, actor, ended, 'by_its_operator');
  return Response.json({ ended: ended.length });
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
