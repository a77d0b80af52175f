import { nearPlace, placesQuerySchema } from '#lib/api/places-answer.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async ({ request }) => {
  const { q = '', near = '' } = parseQuery(request, placesQuerySchema);
  const place = nearPlace(near);
  const { places } = runtime();
  return Response.json(place ? places.near(place) : places.find(q));
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
