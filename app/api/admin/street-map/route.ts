import { ApiError } from '#lib/api/error-code.ts';
import { type StreetMapState, streetMapRequestSchema } from '#lib/api/street-map.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('administer', async () =>
  Response.json(runtime().streetMap.state satisfies StreetMapState),
);

export const POST = viewerRoute('administer', async (call) => {
  const { streetMap, audit } = runtime();
  const { lat, lon, radius_km: radiusKm, fetch } = await parseBody(call.request, streetMapRequestSchema);
  const around = { lat, lon, radiusKm };
  if (!fetch) return Response.json(await streetMap.measure(around, call.request.signal));
  const size = await streetMap.begin(around, call.request.signal);
  const { map, source, bytes } = size;
  audit.record(actorOf(call), { kind: 'street_map_requested', map, from: new URL(source).host, bytes });
  return Response.json(size, { status: 202 });
});

export const DELETE = viewerRoute('administer', async (call) => {
  const { streetMap, audit } = runtime();
  const map = streetMap.cancel();
  if (map === undefined) throw new ApiError('not_possible', 'No street map is being fetched.');
  audit.record(actorOf(call), { kind: 'street_map_cancelled', map });
  return new Response(null, { status: 204 });
});

export { refuseMethod as PATCH, refuseMethod as PUT };
