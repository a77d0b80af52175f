import { sealIncidentSchema } from '#lib/api/watching/incident-actions.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('watch', async (call) => {
  const { incidents, audit } = runtime();
  const { revision } = await parseBody(call.request, sealIncidentSchema);
  const id = pathSegment(call.request, 2);
  const { sha256, bytes } = await incidents.seal(zoneCaller(call.viewer), id, revision, call.request.signal);
  const { number } = await incidents.store.one(id);
  audit.record(actorOf(call), { kind: 'incident_sealed', incident: id, number, sha256 });
  return Response.json({ sha256, bytes }, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
