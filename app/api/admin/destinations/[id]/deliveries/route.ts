import { pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('administer', async ({ request }) =>
  Response.json({ deliveries: await runtime().deliveries.ofDestination(pathSegment(request, 3)) }),
);

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
