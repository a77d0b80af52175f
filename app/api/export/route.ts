import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { exportQuerySchema } from '#lib/api/query.ts';
import { actorOf } from '#lib/server/routes/actor-of.ts';
import { exportOf } from '#lib/server/routes/export-of.ts';
import { streamResponse } from '#lib/server/routes/stream-response.ts';

export const GET = queryRoute('view', async (call) => {
  const { headers, body } = await exportOf(parseQuery(call.request, exportQuerySchema), call.viewer, actorOf(call));
  return streamResponse(call, headers, body);
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
