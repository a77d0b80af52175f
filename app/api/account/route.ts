import { accountRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = accountRoute('own-affairs', async ({ accounts, passkeys, viewer }) =>
  Response.json({
    ...(await accounts.account(viewer)),
    passkeys: await passkeys.of(viewer),
    push: await runtime().push.of(viewer.operator.id),
  }),
);

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
