import { zonePriceQuestionSchema } from '#lib/api/watching/zones.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';
import { ZONE_BODY_MAX_BYTES } from '#lib/server/zones/accepted-content.ts';

export const POST = viewerRoute('watch', async ({ request }) => {
  const { id, ...zone } = await parseBody(request, zonePriceQuestionSchema, ZONE_BODY_MAX_BYTES);
  return Response.json(runtime().prices.quote(zone, id));
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
