import { pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, operatorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('read-state', async ({ viewer, request }) =>
  Response.json(await runtime().overlays.content(operatorOf(viewer), pathSegment(request, 2))),
);

export const DELETE = viewerRoute('own-affairs', async (call) => {
  const { overlays, audit } = runtime();
  const { name } = await overlays.remove(operatorOf(call.viewer), pathSegment(call.request, 2));
  audit.record(actorOf(call), { kind: 'overlay_removed', overlay: name });
  return new Response(null, { status: 204 });
});

export { refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
