import { ZONE_BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { tryZoneSchema } from '#lib/api/watching/zone-trial.ts';
import { inTime, pastOf } from '#lib/server/routes/load-with-audit.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { tryZone } from '#lib/server/zones/trial/try-zone.ts';

export const POST = viewerRoute('watch', async (call) => {
  const body = await parseBody(call.request, tryZoneSchema, ZONE_BODY_MAX_BYTES);
  return Response.json(await inTime(call.request, (until) => tryZone(body, { load: pastOf(call), ...until })));
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
