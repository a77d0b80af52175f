import { watchedQuerySchema } from '#lib/api/watching/zones.ts';
import { parseQuery, pathSegment, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async ({ viewer, request }) => {
  const { zones, watched } = runtime();
  const { start, end } = parseQuery(request, watchedQuerySchema);
  const { id } = await zones.visible(zoneCaller(viewer), pathSegment(request, 2));
  return Response.json(await watched.between(id, start, end));
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
