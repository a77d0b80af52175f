import { BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { newDestinationSchema } from '#lib/api/outputs/destinations.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('administer', async () => Response.json(await runtime().destinations.report()));

export const POST = viewerRoute('administer', async (call) => {
  const { destinations, audit } = runtime();
  const body = await parseBody(call.request, newDestinationSchema, BODY_MAX_BYTES);
  const added = await destinations.add(body);
  const { name, all_alarms } = added.destination;
  audit.record(actorOf(call), { kind: 'destination_added', destination: name, all_alarms });
  return Response.json(added, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
