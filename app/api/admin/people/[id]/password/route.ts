import { passwordResetSchema } from '#lib/api/people/account.ts';
import { accountRoute, parseBody, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, recordEnded } from '#lib/server/routes/viewer.ts';

export const POST = accountRoute('administer', async (call) => {
  const { request, viewer, accounts, audit } = call;
  const { remove_passkeys } = hasBody(request)
    ? await parseBody(request, passwordResetSchema)
    : { remove_passkeys: false };
  const person = pathSegment(request, 3);
  const { initial, removed, ended } = await accounts.resetPassword(viewer, person, remove_passkeys);
  const actor = actorOf(call);
  for (const passkey of removed) audit.record(actor, { kind: 'passkey_removed', person, passkey });
  audit.record(actor, { kind: 'password_changed', person });
  recordEnded(audit, actor, ended, 'by_admin');
  return Response.json(initial);
});

function hasBody({ headers }: Request): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length')) > 0;
}

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
