import { accountRoute, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = accountRoute('view', async ({ request, viewer }) => {
  const delivery = await runtime().push.sendTrial(viewer.operator.id, pathSegment(request, 3));
  return Response.json({ delivery }, { status: 202 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
