import { ZONE_BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { newZoneSchema, type PricedZone, type WatchedNow, zonesQuerySchema } from '#lib/api/watching/zones.ts';
import { parseBody, parseQuery, queryRoute, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { streamResponse } from '#lib/server/routes/stream-response.ts';
import { zonesInArea } from '#lib/server/routes/token-bounds.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { editionOf, isSameEdition, pricedZones, zonesText } from '#lib/server/zones/zones-text.ts';

const NONE: ReadonlyMap<string, PricedZone['suspended']> = new Map();

export const GET = queryRoute('read-alarms', async (call) => {
  const { viewer, request } = call;
  const { zones, prices, watched } = runtime();
  const { at } = parseQuery(request, zonesQuerySchema);
  const [seen, present, suspended] = await Promise.all([
    zones.list(zoneCaller(viewer), at),
    at === undefined ? watched.present() : new Map<string, WatchedNow>(),
    at === undefined ? zones.suspended() : NONE,
  ]);
  const all = zonesInArea(viewer, seen);
  const unshared = seen.length === 0 && !viewer.token && at === undefined && (await zones.hasAny());
  const answer = { zones: await pricedZones(all, prices, present, suspended), unshared };
  const etag = editionOf(answer);
  if (isSameEdition(request.headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers: { etag } });
  return streamResponse(call, { 'content-type': 'application/json', etag }, (signal) => zonesText(answer, signal));
});

export const POST = viewerRoute('write-zones', async (call) => {
  const { zones, prices, audit } = runtime();
  const body = await parseBody(call.request, newZoneSchema, ZONE_BODY_MAX_BYTES);
  const zone = await zones.add(zoneCaller(call.viewer), body);
  audit.record(actorOf(call), { kind: 'zone_added', zone: zone.name, shared: zone.shared });
  return Response.json({ zone, price: prices.quote(zone, zone.id), watched: null, suspended: [] }, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
