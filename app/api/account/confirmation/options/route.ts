import { accountRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { peerAddress } from '#lib/server/sign-in/peer-address.ts';

export const POST = accountRoute('own-affairs', async ({ request, viewer, passkeys }) =>
  Response.json(await passkeys.confirmationOptions(viewer, peerAddress(request))),
);

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
