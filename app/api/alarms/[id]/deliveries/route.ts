import { pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('view', async ({ viewer, request }) =>
  Response.json({ deliveries: await runtime().deliveries.ofAlarm(zoneCaller(viewer), pathSegment(request, 2)) }),
);

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
