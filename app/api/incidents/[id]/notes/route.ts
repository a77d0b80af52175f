import { newIncidentNoteSchema } from '#lib/api/watching/incident-actions.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

/** A note of 4000 characters, escaped. */
const BODY_MAX_BYTES = 64 * 1024;

export const POST = viewerRoute('watch', async (call) => {
  const { incidents, audit } = runtime();
  const body = await parseBody(call.request, newIncidentNoteSchema, BODY_MAX_BYTES);
  const id = pathSegment(call.request, 2);
  const note = await incidents.store.addNote(zoneCaller(call.viewer), id, body);
  const { number } = await incidents.store.one(id);
  audit.record(actorOf(call), { kind: 'incident_noted', incident: id, number, note: note.text });
  return Response.json({ note }, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
