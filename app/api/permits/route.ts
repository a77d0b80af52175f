import { newPermitsSchema, permitsQuerySchema } from '#lib/api/watching/permits.ts';
import {
  optionalWindow,
  parseBody,
  parseQuery,
  queryRoute,
  refuseMethod,
  viewerRoute,
} from '#lib/server/routes/route.ts';
import { permitsInArea, requireAlarmsOf } from '#lib/server/routes/token-bounds.ts';
import { actorOf, requirePermission, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { permitsIn } from '#lib/server/zones/permits.ts';

/** 100 permits of whole zones and 500 alarms, or some with 500 corners. */
const BODY_MAX_BYTES = 128 * 1024;

export const GET = queryRoute('read-alarms', async ({ viewer, request }) => {
  const window = optionalWindow(parseQuery(request, permitsQuerySchema));
  const { permits, cut } = await runtime().permits.list(zoneCaller(viewer), window);
  return Response.json({ permits: await permitsInArea(viewer, permits), cut });
});

export const POST = viewerRoute('write-permits', async (call) => {
  const { permits, audit } = runtime();
  const body = await parseBody(call.request, newPermitsSchema, BODY_MAX_BYTES);
  if (body.alarms.length > 0) requirePermission(call.viewer, 'acknowledge');
  await requireAlarmsOf(call.viewer, body.alarms);
  const made = await permits.add(zoneCaller(call.viewer), { permits: permitsIn(body), alarms: body.alarms });
  const [first] = made.permits;
  if (first)
    audit.record(
      actorOf(call),
      made.permits.length === 1
        ? { kind: 'permit_made', permit: first.name, zone: first.zone.name }
        : { kind: 'permits_made', first: first.name, permits: made.permits.length },
    );
  const answers = made.answers.map(({ id, refusal }) => ({
    id,
    refusal: refusal ? { code: refusal.code, message: refusal.message } : null,
  }));
  return Response.json({ permits: made.permits, answers }, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
