import { refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('view', async () =>
  Response.json({ public_key: await runtime().incidents.publicKey(), algorithm: 'Ed25519' }),
);

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
