import { pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, operatorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('administer', async (call) => {
  const { destinations, audit } = runtime();
  const { delivery, name } = await destinations.sendTrial(pathSegment(call.request, 3), operatorOf(call.viewer));
  audit.record(actorOf(call), { kind: 'destination_trial', destination: name });
  return Response.json({ delivery }, { status: 202 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
