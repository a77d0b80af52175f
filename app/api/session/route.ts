import { type SessionAnswer, signInBodySchema } from '#lib/api/session.ts';
import { ApiError } from '#lib/server/api-error.ts';
import { openRoute, parseBody, refuseMethod, viewerRoute } from '#lib/server/route.ts';
import { runtime } from '#lib/server/runtime.ts';
import { peerAddress } from '#lib/server/session/peer-address.ts';
import { beginSession, endSession } from '#lib/server/session-cookie.ts';

export const GET = viewerRoute(async ({ viewer }) => {
  const answer: SessionAnswer =
    viewer.kind === 'operator'
      ? { operator: viewer.name, sign_in_required: true }
      : { operator: null, sign_in_required: false };
  return Response.json(answer);
});

export const POST = openRoute(async ({ request }) => {
  const { name, password } = await parseBody(request, signInBodySchema);
  const { sessions, log } = runtime();
  if (!sessions) throw new ApiError('sign_in_refused', 'Sign-in is off: Lookout runs on its embedded service.');
  const result = await sessions.signIn.attempt(name, password, peerAddress(request));
  switch (result.kind) {
    case 'wait':
      throw new ApiError('too_many_attempts', `Too many attempts; try again in ${result.seconds} s.`, result.seconds);
    case 'refused':
      log.warn('a sign-in was refused');
      throw new ApiError('sign_in_refused', 'Name or password is wrong.');
    case 'signed-in':
      await beginSession(result.sessionId);
      return new Response(null, { status: 204 });
  }
});

export const DELETE = openRoute(async () => {
  await endSession();
  return new Response(null, { status: 204 });
});

export { refuseMethod as PATCH, refuseMethod as PUT };
