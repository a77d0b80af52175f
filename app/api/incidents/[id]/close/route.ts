import { closeIncidentSchema } from '#lib/api/watching/incident-actions.ts';
import { pastOf } from '#lib/server/routes/load-with-audit.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('watch', async (call) => {
  const { incidents, audit } = runtime();
  const { revision, max_requests, incomplete } = await parseBody(call.request, closeIncidentSchema);
  const incident = await incidents.close(zoneCaller(call.viewer), pathSegment(call.request, 2), {
    revision,
    incomplete,
    maxRequests: max_requests,
    load: pastOf(call),
    signal: call.request.signal,
  });
  const { id, number, kept } = incident;
  audit.record(actorOf(call), { kind: 'incident_closed', incident: id, number, positions: kept?.positions ?? 0 });
  return Response.json({ incident });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
