import { ApiError } from '#lib/api/error-code.ts';
import { PASSKEY_BODY_MAX_BYTES, passkeySignInSchema } from '#lib/api/people/passkey.ts';
import { openRoute, parseBody, refuseMethod } from '#lib/server/routes/route.ts';
import { askedBrowser, rememberBrowser } from '#lib/server/routes/sealed-cookies.ts';
import { actorOf, beginSession, originOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { sessionLabel } from '#lib/server/sign-in/session.ts';

const notAccepted = () => new ApiError('sign_in_refused', 'This passkey is not accepted.');

export const POST = openRoute(async (call) => {
  const { request } = call;
  const { passkey, kept } = await parseBody(request, passkeySignInSchema, PASSKEY_BODY_MAX_BYTES);
  const { sessions, audit } = runtime();
  if (!sessions) throw notAccepted();
  const actor = actorOf(call);
  const refused = (person: string | undefined, reason: 'too_many_attempts' | 'not_accepted') =>
    audit.record(actor, { kind: 'sign_in_refused', method: 'passkey', person: person ?? null, reason });
  // Without the cookie, this browser got no challenge.
  const browser = (await askedBrowser(sessions.secret)) ?? '';
  const result = await sessions.passkeyChecks.signIn(browser, passkey, originOf(request, kept));
  const { operator } = result;
  switch (result.kind) {
    case 'wait':
      refused(operator, 'too_many_attempts');
      throw new ApiError('too_many_attempts', `Too many attempts; try again in ${result.seconds} s.`, result.seconds);
    case 'refused':
      refused(operator, 'not_accepted');
      throw notAccepted();
    case 'signed-in':
      await beginSession(result.sessionId, kept);
      await rememberBrowser(sessions.secret, result.operator);
      audit.record(
        { ...actor, operator: { id: result.operator, name: result.operator } },
        { kind: 'signed_in', method: 'passkey', session: sessionLabel(result.sessionId) },
      );
      return new Response(null, { status: 204 });
  }
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
