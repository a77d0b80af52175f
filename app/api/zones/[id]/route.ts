import { ZONE_BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { zoneChangeSchema } from '#lib/api/watching/zones.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const PATCH = viewerRoute('write-zones', async (call) => {
  const { zones, prices, audit } = runtime();
  const change = await parseBody(call.request, zoneChangeSchema, ZONE_BODY_MAX_BYTES);
  const zone = await zones.change(zoneCaller(call.viewer), pathSegment(call.request, 2), change);
  const { name, shared, revision } = zone;
  // A change of nothing keeps the revision.
  if (revision !== change.revision) audit.record(actorOf(call), { kind: 'zone_changed', zone: name, shared, revision });
  return Response.json({ zone, price: prices.quote(zone, zone.id), watched: null, suspended: [] });
});

export const DELETE = viewerRoute('write-zones', async (call) => {
  const { zones, audit } = runtime();
  const { name } = await zones.remove(zoneCaller(call.viewer), pathSegment(call.request, 2));
  audit.record(actorOf(call), { kind: 'zone_removed', zone: name });
  return new Response(null, { status: 204 });
});

export { refuseMethod as GET, refuseMethod as POST, refuseMethod as PUT };
