import { z } from 'zod';
import { ApiError } from '#lib/api/error-code.ts';
import { returnPath } from '#lib/api/people/return-path.ts';
import { isLost } from '#lib/server/database/database-failure.ts';
import { openRoute, parseQuery, refuseMethod } from '#lib/server/routes/route.ts';
import { loginCookies, writeLoginCookie } from '#lib/server/routes/sealed-cookies.ts';
import { signInPage } from '#lib/server/routes/sign-in-view.ts';
import { runtime } from '#lib/server/runtime.ts';

const querySchema = z.strictObject({
  next: z.string().optional(),
  as: z.literal('other').optional(),
});

/** Pages come here by a link: the CSP would block a form's redirect to the provider. */
export const GET = openRoute(async ({ request }) => {
  const { next, as } = parseQuery(request, querySchema);
  const sso = runtime().sessions?.singleSignOn;
  if (!sso) throw new ApiError('not_found', 'No provider is set: OIDC_ISSUER in docs/settings.md.');
  // A link on another site must not sign in a user.
  if (!['same-origin', 'none'].includes(request.headers.get('sec-fetch-site') ?? 'none'))
    return signInPage(returnPath(next));
  const sealed = loginCookies(request.headers.get('cookie') ?? '');
  const begun = await sso.begin(next, as === 'other', sealed).catch((error: unknown) => {
    if (isLost(error)) return 'database' as const;
    throw error;
  });
  if (begun === 'database') return signInPage(returnPath(next), 'database');
  if (!begun) return signInPage(returnPath(next), 'unreachable');
  await writeLoginCookie(begun.cookie);
  return new Response(null, { status: 303, headers: { location: begun.url.href } });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
