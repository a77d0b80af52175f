import { receptionQuerySchema } from '#lib/api/overview.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async (call) => {
  const { bbox } = parseQuery(call.request, receptionQuerySchema);
  return Response.json(await runtime().overview.reception(bbox, call.request.signal));
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
