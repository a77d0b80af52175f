import { incidentTracksSchema } from '#lib/api/watching/incident-actions.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

const BODY_MAX_BYTES = 128 * 1024;

export const POST = viewerRoute('watch', async (call) => {
  const { incidents, audit } = runtime();
  const { tracks, remark } = await parseBody(call.request, incidentTracksSchema, BODY_MAX_BYTES);
  const id = pathSegment(call.request, 2);
  await incidents.store.pin(zoneCaller(call.viewer), id, 'track', tracks, remark);
  const { number } = await incidents.store.one(id);
  audit.record(actorOf(call), { kind: 'incident_joined', incident: id, number, alarms: 0, tracks: tracks.length });
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
