import { runtime } from '#lib/server/runtime.ts';
import { parseLines, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { newZoneSchema } from '#lib/api/watching/zones.ts';
import { actorOf } from '#lib/server/routes/actor-of.ts';
import { zoneCaller } from '#lib/server/routes/zone-caller.ts';
import { IMPORT_MAX } from '#lib/server/zones/accepted-content.ts';

export const POST = viewerRoute('watch', async (call) => {
  const { zones, audit } = runtime();
  const body = await parseLines(call.request, newZoneSchema, IMPORT_MAX);
  const added = await zones.addAll(zoneCaller(call.viewer), body);
  const [first] = added;
  if (first) audit.record(actorOf(call), { kind: 'zones_imported', first: first.name, zones: added.length });
  return Response.json({ ids: added.map(({ id }) => id) }, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
