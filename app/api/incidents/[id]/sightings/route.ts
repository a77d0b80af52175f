import { SIGHTING_BODY_MAX_BYTES, sightingSchema } from '#lib/api/watching/sightings.ts';
import { inTime, pastOf } from '#lib/server/routes/load-with-audit.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('watch', async (call) => {
  const { incidents, audit } = runtime();
  const body = await parseBody(call.request, sightingSchema, SIGHTING_BODY_MAX_BYTES);
  const id = pathSegment(call.request, 2);
  const note = await inTime(call.request, (until) =>
    incidents.addSighting(zoneCaller(call.viewer), id, body, { load: pastOf(call), ...until }),
  );
  const { number } = await incidents.store.one(id);
  audit.record(actorOf(call), { kind: 'incident_noted', incident: id, number, note: note.text });
  return Response.json({ note }, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
