import { liveQuerySchema } from '#lib/api/live-query.ts';
import { parseQuery, viewerRoute } from '#lib/server/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute(async ({ request }) => {
  const { bbox, layers } = parseQuery(request, liveQuerySchema);
  return Response.json(await runtime().live.read(bbox, layers));
});
