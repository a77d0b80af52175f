import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { liveQuerySchema } from '#lib/api/query.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { inQueueOf } from '#lib/server/routes/in-queue.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { requireTokenArea } from '#lib/server/routes/token-bounds.ts';
import { pageOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('read-live', async ({ request, viewer, logged }) => {
  const { bbox, centre, home, layers, page, since, wait } = parseQuery(request, liveQuerySchema);
  const { live } = runtime();
  requireTokenArea(viewer, bbox);
  const viewerPage = pageOf(viewer, page ?? formatBbox(bbox));
  logged.areas = () => live.reader.areas(bbox, layers, centre);
  // The compact form has whole areas as Lookout reads them, which reach out of a token's. A wall draws them.
  if (request.headers.get('accept') !== COMPACT_LIVE_TYPE || (viewer.token?.area && !viewer.wall)) {
    const answer = await live.reader.prepare(viewerPage, bbox, layers, centre);
    return inQueueOf('positions', request, viewer.operator.id, async () => Response.json(answer()));
  }
  const answer = await live.reader.readCompact(viewerPage, bbox, layers, since ?? new Map(), {
    centre,
    home: viewer.token ? undefined : home,
    waitMs: wait,
  });
  return new Response(answer, { headers: { 'content-type': COMPACT_LIVE_TYPE } });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
