import { confirmationSchema, PASSKEY_BODY_MAX_BYTES } from '#lib/api/people/passkey.ts';
import { accountRoute, parseBody, refuseMethod } from '#lib/server/routes/route.ts';
import { peerAddress } from '#lib/server/sign-in/peer-address.ts';

export const POST = accountRoute('own-affairs', async ({ request, viewer, passkeys }) => {
  const confirmation = await parseBody(request, confirmationSchema, PASSKEY_BODY_MAX_BYTES);
  await passkeys.confirm(viewer, confirmation, peerAddress(request));
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
