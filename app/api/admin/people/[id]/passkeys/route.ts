import { accountRoute, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, recordEnded } from '#lib/server/routes/viewer.ts';

export const DELETE = accountRoute('administer', async (call) => {
  const { request, viewer, passkeys, audit } = call;
  const person = pathSegment(request, 3);
  const { names, ended } = await passkeys.removeAll(viewer, person);
  const actor = actorOf(call);
  for (const passkey of names) audit.record(actor, { kind: 'passkey_removed', person, passkey });
  recordEnded(audit, actor, ended, 'by_admin');
  return Response.json({ ended: ended.length });
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
