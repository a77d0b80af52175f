import { trailsQuerySchema } from '#lib/api/query.ts';
import { COMPACT_TRAILS_TYPE } from '#lib/api/trails-answer.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { requireTokenArea } from '#lib/server/routes/token-bounds.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('read-live', async ({ request, viewer }) => {
  const query = parseQuery(request, trailsQuerySchema);
  requireTokenArea(viewer, query.bbox);
  const { trails } = runtime();
  if (request.headers.get('accept') !== COMPACT_TRAILS_TYPE) return Response.json(await trails.readJson(query));
  const body = new Uint8Array(await trails.readCompact(query));
  return new Response(body, { headers: { 'content-type': COMPACT_TRAILS_TYPE } });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
