import { placesQuerySchema } from '#lib/api/places-answer.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async ({ request }) => {
  const { q } = parseQuery(request, placesQuerySchema);
  return Response.json(runtime().places.find(q));
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
