import { pushChoicesSchema } from '#lib/api/people/push.ts';
import { accountRoute, parseBody, pathSegment, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const PATCH = accountRoute('own-affairs', async ({ request, viewer }) => {
  const choices = await parseBody(request, pushChoicesSchema);
  await runtime().push.change(viewer.operator.id, pathSegment(request, 3), choices);
  return new Response(null, { status: 204 });
});

export const DELETE = accountRoute('own-affairs', async (call) => {
  const { request, viewer, audit } = call;
  const person = viewer.operator.id;
  const browser = await runtime().push.remove(person, pathSegment(request, 3));
  audit.record(actorOf(call), { kind: 'push_removed', person, browser });
  return new Response(null, { status: 204 });
});

export { refuseMethod as GET, refuseMethod as POST, refuseMethod as PUT };
