import { ApiError } from '#lib/api/error-code.ts';
import { windowQuerySchema } from '#lib/api/watching/zones.ts';
import { parseQuery, pathSegment, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { zonesInArea } from '#lib/server/routes/token-bounds.ts';
import { zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('read-alarms', async ({ viewer, request }) => {
  const { zones, watched } = runtime();
  const { start, end } = parseQuery(request, windowQuerySchema);
  const zone = await zones.visible(zoneCaller(viewer), pathSegment(request, 2));
  if (zonesInArea(viewer, [zone]).length === 0) throw new ApiError('not_found', 'There is no such zone.');
  return Response.json(await watched.between(zone.id, start, end));
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
