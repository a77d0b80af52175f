import { unwatchedQuerySchema } from '#lib/api/watching/zones.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async ({ viewer, request }) => {
  const query = parseQuery(request, unwatchedQuerySchema);
  return Response.json(await runtime().watched.unwatched(zoneCaller(viewer), query));
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
