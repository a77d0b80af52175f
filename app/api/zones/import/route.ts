import { newZoneSchema } from '#lib/api/watching/zones.ts';
import { parseLines, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { IMPORT_MAX } from '#lib/server/zones/accepted-content.ts';

export const POST = viewerRoute('write-zones', async (call) => {
  const { zones, audit, work } = runtime();
  const { request, viewer } = call;
  const place = await work.enter('zone_import', viewer.operator.id, request.signal);
  let added: Awaited<ReturnType<typeof zones.addAll>>;
  try {
    // A slow body holds a place of its own operator only.
    const body = await parseLines(request, newZoneSchema, IMPORT_MAX);
    added = await place.runPiece(() => zones.addAll(zoneCaller(viewer), body));
  } finally {
    place.leave();
  }
  const [first] = added;
  if (first) audit.record(actorOf(call), { kind: 'zones_imported', first: first.name, zones: added.length });
  return Response.json({ ids: added.map(({ id }) => id) }, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
