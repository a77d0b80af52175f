import { historyQuerySchema } from '#lib/api/query.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { costWithinRole } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async ({ request, viewer }) => {
  const query = parseQuery(request, historyQuerySchema);
  const cost = await runtime().history.cost(query, viewer.operator.id, request.signal);
  return Response.json(costWithinRole(cost, viewer));
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
