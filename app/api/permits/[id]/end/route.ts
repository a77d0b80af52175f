import { permitEndSchema } from '#lib/api/watching/permits.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

const BODY_MAX_BYTES = 1024;

export const POST = viewerRoute('write-permits', async (call) => {
  const { permits, audit } = runtime();
  const { revision } = await parseBody(call.request, permitEndSchema, BODY_MAX_BYTES);
  const permit = await permits.end(zoneCaller(call.viewer), pathSegment(call.request, 2), revision);
  audit.record(actorOf(call), { kind: 'permit_ended', permit: permit.name, zone: permit.zone.name });
  return Response.json(permit);
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
