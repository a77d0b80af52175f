import { ZONE_BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { zonePriceQuestionSchema } from '#lib/api/watching/zones.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('watch', async ({ viewer, request }) => {
  const { zones, prices } = runtime();
  const { id, ...zone } = await parseBody(request, zonePriceQuestionSchema, ZONE_BODY_MAX_BYTES);
  // The price without another's private zone would say where that is.
  const replaced = id !== undefined && (await zones.isSeen(zoneCaller(viewer), id)) ? id : undefined;
  return Response.json(prices.quote(zone, replaced));
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
