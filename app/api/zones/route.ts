import { runtime } from '#lib/server/runtime.ts';
import { parseBody, parseQuery, queryRoute, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { newZoneSchema, zonesQuerySchema } from '#lib/api/zones.ts';
import { actorOf } from '#lib/server/routes/actor-of.ts';
import { zoneCaller } from '#lib/server/routes/zone-caller.ts';
import { ZONE_BODY_MAX_BYTES } from '#lib/server/zones/accepted-content.ts';

export const GET = queryRoute('view', async ({ viewer, request }) => {
  const { zones, prices } = runtime();
  const { at } = parseQuery(request, zonesQuerySchema);
  const all = await zones.list(zoneCaller(viewer), at);
  return Response.json({ zones: all.map((zone) => ({ zone, price: prices.of(zone) })) });
});

export const POST = viewerRoute('watch', async (call) => {
  const { zones, prices, audit } = runtime();
  const body = await parseBody(call.request, newZoneSchema, ZONE_BODY_MAX_BYTES);
  const zone = await zones.add(zoneCaller(call.viewer), body);
  audit.record(actorOf(call), { kind: 'zone_added', zone: zone.name, shared: zone.shared });
  return Response.json({ zone, price: prices.quote(zone, zone.id) }, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
