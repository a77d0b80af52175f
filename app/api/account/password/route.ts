import { passwordChangeSchema } from '#lib/api/people/account.ts';
import { accountRoute, parseBody, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, recordEnded } from '#lib/server/routes/viewer.ts';
import { peerAddress } from '#lib/server/sign-in/peer-address.ts';

export const PUT = accountRoute('own-affairs', async (call) => {
  const { request, viewer, accounts, audit } = call;
  const change = await parseBody(request, passwordChangeSchema);
  const ended = await accounts.changeOwnPassword(viewer, change, peerAddress(request));
  const actor = actorOf(call);
  audit.record(actor, { kind: 'password_changed', person: viewer.operator.id });
  recordEnded(audit, actor, ended, 'by_its_operator');
  return Response.json({ ended: ended.length });
});

export const DELETE = accountRoute('own-affairs', async (call) => {
  const { viewer, passkeys, audit } = call;
  const ended = await passkeys.removePassword(viewer);
  const actor = actorOf(call);
  audit.record(actor, { kind: 'password_removed', person: viewer.operator.id });
  recordEnded(audit, actor, ended, 'by_its_operator');
  return Response.json({ ended: ended.length });
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST };
