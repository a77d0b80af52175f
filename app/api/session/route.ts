import { ApiError } from '#lib/api/error-code.ts';
import { type SessionAnswer, signInBodySchema } from '#lib/api/people/session-messages.ts';
import { openRoute, parseBody, refuseMethod, refuseQuery, viewerRoute } from '#lib/server/routes/route.ts';
import { knownBrowser, rememberBrowser } from '#lib/server/routes/sealed-cookies.ts';
import { actorOf, beginSession, endSession, originOf, viewerOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { sessionLabel } from '#lib/server/sign-in/session.ts';

export const GET = viewerRoute('own-affairs', async ({ viewer }) => {
  const { name, role } = viewer.operator;
  const isSignedIn = viewer.session !== undefined;
  const answer: SessionAnswer = { operator: isSignedIn ? name : null, role, sign_in_required: isSignedIn };
  return Response.json(answer);
});

export const POST = openRoute(async (call) => {
  const { request } = call;
  const { name, password, kept } = await parseBody(request, signInBodySchema);
  const { sessions, audit } = runtime();
  if (!sessions) throw new ApiError('sign_in_refused', 'Sign-in is off: Lookout runs on its embedded service.');
  const actor = actorOf(call);
  const refused = (reason: 'too_many_attempts' | 'not_accepted') => {
    const person = sessions.operators.find(name)?.name ?? null;
    audit.record(actor, { kind: 'sign_in_refused', method: 'password', person, reason });
  };
  const browser = await knownBrowser(sessions.secret, name);
  const result = await sessions.signIn.attempt(name, password, originOf(request, kept), browser);
  switch (result.kind) {
    case 'wait':
      refused('too_many_attempts');
      throw new ApiError('too_many_attempts', `Too many attempts; try again in ${result.seconds} s.`, result.seconds);
    case 'refused':
      refused('not_accepted');
      throw new ApiError('sign_in_refused', 'Name or password is wrong.');
    case 'signed-in':
      await beginSession(result.sessionId, kept);
      await rememberBrowser(sessions.secret, name);
      audit.record(
        { ...actor, operator: { id: name, name } },
        { kind: 'signed_in', method: 'password', session: sessionLabel(result.sessionId) },
      );
      return new Response(null, { status: 204 });
  }
});

export const DELETE = openRoute(async (call) => {
  refuseQuery(call.request);
  const { headers } = call.request;
  const viewer = await viewerOf(headers.get('cookie') ?? '', headers.get('host') ?? '');
  await endSession();
  if (viewer?.session) {
    runtime().audit.record(actorOf({ ...call, viewer }), {
      kind: 'session_ended',
      person: viewer.operator.id,
      session: sessionLabel(viewer.session.id),
      how: 'signed_out',
    });
  }
  // The back/forward cache shows positions; cookies and storage belong to the whole domain.
  return new Response(null, { status: 204, headers: { 'clear-site-data': '"cache"' } });
});

export { refuseMethod as PATCH, refuseMethod as PUT };
