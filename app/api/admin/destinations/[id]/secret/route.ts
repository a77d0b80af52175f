import { pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('administer', async (call) => {
  const { destinations, audit } = runtime();
  const made = await destinations.makeSecret(pathSegment(call.request, 3));
  audit.record(actorOf(call), { kind: 'destination_secret_made', destination: made.destination.name });
  return Response.json(made, { status: 201 });
});

export const DELETE = viewerRoute('administer', async (call) => {
  const { destinations, audit } = runtime();
  const left = await destinations.dropSecrets(pathSegment(call.request, 3));
  audit.record(actorOf(call), { kind: 'destination_secrets_dropped', destination: left.destination.name });
  return Response.json(left);
});

export { refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
