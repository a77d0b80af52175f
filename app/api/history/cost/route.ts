import { historyQuerySchema } from '#lib/api/query.ts';
import { parseQuery, refuseMethod, viewerRoute } from '#lib/server/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute(async ({ request }) =>
  Response.json(await runtime().history.cost(parseQuery(request, historyQuerySchema))),
);

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
