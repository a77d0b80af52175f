import { exportQuerySchema } from '#lib/api/query.ts';
import { exportOf } from '#lib/server/export/export-of.ts';
import { parseQuery, refuseMethod, viewerRoute } from '#lib/server/route.ts';
import { streamResponse } from '#lib/server/stream-response.ts';

export const GET = viewerRoute(async (call) => {
  const { headers, body } = await exportOf(parseQuery(call.request, exportQuerySchema), call.viewer);
  return streamResponse(call, headers, body);
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
