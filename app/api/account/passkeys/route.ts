import { newPasskeySchema, PASSKEY_BODY_MAX_BYTES } from '#lib/api/people/passkey.ts';
import { accountRoute, parseBody, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, beginSession } from '#lib/server/routes/viewer.ts';
import { sessionLabel } from '#lib/server/sign-in/session.ts';

export const POST = accountRoute('own-affairs', async (call) => {
  const { request, viewer, passkeys, audit } = call;
  const passkey = await parseBody(request, newPasskeySchema, PASSKEY_BODY_MAX_BYTES);
  const next = await passkeys.add(viewer, passkey);
  const actor = actorOf(call);
  audit.record(actor, { kind: 'passkey_added', person: viewer.operator.id, passkey: passkey.name });
  if (next) {
    await beginSession(next.id, next.origin.isKept);
    audit.record(actor, { kind: 'signed_in', method: 'passkey', session: sessionLabel(next.id) });
  }
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
