import { personChangeSchema } from '#lib/api/people/account.ts';
import { accountRoute, parseBody, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, recordEnded } from '#lib/server/routes/viewer.ts';

export const PATCH = accountRoute('administer', async (call) => {
  const { role } = await parseBody(call.request, personChangeSchema);
  const person = pathSegment(call.request, 3);
  await call.accounts.setRole(person, role);
  call.audit.record(actorOf(call), { kind: 'role_changed', person, role });
  return new Response(null, { status: 204 });
});

export const DELETE = accountRoute('administer', async (call) => {
  const { audit } = call;
  const person = pathSegment(call.request, 3);
  const ended = await call.accounts.remove(person);
  const actor = actorOf(call);
  audit.record(actor, { kind: 'person_removed', person });
  recordEnded(audit, actor, ended, 'by_admin');
  return new Response(null, { status: 204 });
});

export { refuseMethod as GET, refuseMethod as POST, refuseMethod as PUT };
