import { ApiError } from '#lib/api/error-code.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import type { SignInProblem } from '#lib/api/people/sign-in-problem.ts';
import { isLost } from '#lib/server/database/database-failure.ts';
import { openRoute, type RouteRequest, refuseMethod } from '#lib/server/routes/route.ts';
import { loginCookies, writeLoginCookie } from '#lib/server/routes/sealed-cookies.ts';
import { signInPage } from '#lib/server/routes/sign-in-view.ts';
import { actorOf, beginSession, originOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { oidcOperatorId } from '#lib/server/sign-in/oidc/oidc-user.ts';
import { peerAddress } from '#lib/server/sign-in/peer-address.ts';
import { sessionLabel } from '#lib/server/sign-in/session.ts';

type Refusal = Extract<AuditEvent, { kind: 'sign_in_refused' }>['reason'];

/** An unreachable provider refused no user. */
const REFUSALS: Readonly<Record<SignInProblem, Refusal | undefined>> = {
  cancelled: 'cancelled',
  expired: 'not_accepted',
  unreachable: undefined,
  untrusted: 'not_accepted',
  unusable_claims: 'not_accepted',
  not_allowed: 'not_allowed',
  groups_not_sent: 'not_allowed',
  too_many_attempts: 'too_many_attempts',
  provider_error: undefined,
  database: undefined,
};

/** Any site can redirect here: parameters count only for a sign-in that this browser started. */
export const GET = openRoute(async (call) => {
  try {
    return await end(call);
  } catch (error) {
    if (isLost(error)) return signInPage('/', 'database');
    throw error;
  }
});

async function end(call: RouteRequest): Promise<Response> {
  const { request } = call;
  const { sessions, log, audit } = runtime();
  if (!sessions?.singleSignOn) throw new ApiError('not_found', 'No provider is set: OIDC_ISSUER in docs/settings.md.');
  const { singleSignOn, registry } = sessions;
  const { searchParams } = new URL(request.url);
  const sealed = loginCookies(request.headers.get('cookie') ?? '');
  const result = await singleSignOn.end(searchParams, sealed, peerAddress(request));
  if (result.cookie !== sealed[0]) await writeLoginCookie(result.cookie);
  const { person } = result;
  const operatorId = person && oidcOperatorId(person.issuer, person.subject);
  const actor = {
    ...actorOf(call),
    operator: person && operatorId !== undefined ? { id: operatorId, name: person.name } : null,
  };
  if (result.kind === 'failed') {
    const { problem, detail, next } = result;
    log.warn({ request_id: call.requestId, problem, detail, operator: operatorId }, 'a single sign-on failed');
    const reason = REFUSALS[problem];
    if (reason)
      audit.record(actor, {
        kind: 'sign_in_refused',
        method: 'single-sign-on',
        person: operatorId ?? null,
        reason,
      });
    return signInPage(next, problem);
  }
  const { issuer, subject, name } = result.person;
  if (result.leftOut.length > 0)
    log.warn(
      { request_id: call.requestId, operator: operatorId, left_out: result.leftOut },
      'a single sign-on came with claims that count as not sent',
    );
  const by = {
    source: 'oidc',
    operatorId: oidcOperatorId(issuer, subject),
    credential: singleSignOn.terms,
    issuer,
    subject,
    name,
    role: result.role,
  } as const;
  const sessionId = await registry.open(by, originOf(request, false));
  await beginSession(sessionId, false);
  audit.record(actor, { kind: 'signed_in', method: 'single-sign-on', session: sessionLabel(sessionId) });
  return new Response(null, { status: 303, headers: { location: result.next } });
}

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
