import { ZONE_BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { deleteIncidentSchema } from '#lib/api/watching/incident-actions.ts';
import { incidentChangeSchema } from '#lib/api/watching/incidents.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('view', async ({ request }) =>
  Response.json(await runtime().incidents.read(pathSegment(request, 2))),
);

export const PATCH = viewerRoute('watch', async (call) => {
  const { incidents, audit } = runtime();
  const change = await parseBody(call.request, incidentChangeSchema, ZONE_BODY_MAX_BYTES);
  const incident = await incidents.store.change(zoneCaller(call.viewer), pathSegment(call.request, 2), change);
  const { id, number, revision } = incident;
  audit.record(actorOf(call), { kind: 'incident_changed', incident: id, number, revision });
  return Response.json({ incident });
});

export const DELETE = viewerRoute('administer', async (call) => {
  const { incidents, audit } = runtime();
  const { reason } = await parseBody(call.request, deleteIncidentSchema);
  const id = pathSegment(call.request, 2);
  const number = await incidents.remove(id);
  audit.record(actorOf(call), { kind: 'incident_deleted', incident: id, number, reason });
  return new Response(null, { status: 204 });
});

export { refuseMethod as POST, refuseMethod as PUT };
