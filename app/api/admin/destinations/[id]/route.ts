import { BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { destinationChangeSchema } from '#lib/api/outputs/destinations.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const PATCH = viewerRoute('administer', async (call) => {
  const { destinations, audit } = runtime();
  const change = await parseBody(call.request, destinationChangeSchema, BODY_MAX_BYTES);
  const { moved, ...changed } = await destinations.change(pathSegment(call.request, 3), change);
  const { name, is_on, all_alarms } = changed.destination;
  audit.record(actorOf(call), { kind: 'destination_changed', destination: name, is_on, all_alarms, ...moved });
  return Response.json(changed);
});

export const DELETE = viewerRoute('administer', async (call) => {
  const { destinations, audit } = runtime();
  const name = await destinations.remove(pathSegment(call.request, 3));
  audit.record(actorOf(call), { kind: 'destination_removed', destination: name });
  return new Response(null, { status: 204 });
});

export { refuseMethod as GET, refuseMethod as POST, refuseMethod as PUT };
