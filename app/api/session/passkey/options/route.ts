import { ApiError } from '#lib/api/error-code.ts';
import { openRoute, refuseMethod, refuseQuery } from '#lib/server/routes/route.ts';
import { askBrowser } from '#lib/server/routes/sealed-cookies.ts';
import { runtime } from '#lib/server/runtime.ts';
import { peerAddress } from '#lib/server/sign-in/peer-address.ts';

export const POST = openRoute(async ({ request }) => {
  refuseQuery(request);
  const { sessions } = runtime();
  if (!sessions) throw new ApiError('sign_in_refused', 'There is no sign-in by passkey here.');
  const owner = await askBrowser(sessions.secret);
  const what = { purpose: 'sign-in', owner } as const;
  return Response.json(await sessions.passkeyChecks.assertionOptions(what, peerAddress(request)));
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
