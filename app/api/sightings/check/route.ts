import { SIGHTING_BODY_MAX_BYTES, sightingSchema } from '#lib/api/watching/sightings.ts';
import { inTime, pastOf } from '#lib/server/routes/load-with-audit.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('watch', async (call) => {
  const body = await parseBody(call.request, sightingSchema, SIGHTING_BODY_MAX_BYTES);
  const { incidents } = runtime();
  return Response.json(await inTime(call.request, (until) => incidents.check(body, { load: pastOf(call), ...until })));
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
