import { ApiError } from '#lib/api/error-code.ts';
import { hoursQuerySchema } from '#lib/api/receivers/receiver-hours.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

/** Open without sign-in too, where every viewer runs this Lookout. */
export const GET = queryRoute('administer', async ({ request }) => {
  const { hours } = parseQuery(request, hoursQuerySchema);
  const { receivers } = runtime();
  if (!receivers) throw new ApiError('not_found', 'Lookout listens to no receivers of its own: see docs/receivers.md.');
  return Response.json(await receivers.readHours(hours));
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
