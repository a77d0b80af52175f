import { historyQuerySchema } from '#lib/api/query.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { requireTokenArea } from '#lib/server/routes/token-bounds.ts';
import { costWithinRole } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('read-history', async ({ request, viewer }) => {
  const query = parseQuery(request, historyQuerySchema);
  requireTokenArea(viewer, query.bbox);
  const { history, readTokens } = runtime();
  const cost = await history.cost(query, viewer.operator.id, request.signal);
  const left = viewer.token && (await readTokens.historyLeft(viewer.token.id, cost.as_of.slice(0, 10)));
  return Response.json(costWithinRole(cost, viewer, left));
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
