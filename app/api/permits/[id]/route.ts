import { ZONE_BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { permitChangeSchema } from '#lib/api/watching/permits.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const PATCH = viewerRoute('write-permits', async (call) => {
  const { permits, audit } = runtime();
  const change = await parseBody(call.request, permitChangeSchema, ZONE_BODY_MAX_BYTES);
  const permit = await permits.change(zoneCaller(call.viewer), pathSegment(call.request, 2), change);
  audit.record(actorOf(call), { kind: 'permit_changed', permit: permit.name, zone: permit.zone.name });
  return Response.json(permit);
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as POST, refuseMethod as PUT };
