import { viewChangeSchema } from '#lib/api/saved-view.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, operatorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const PATCH = viewerRoute('own-affairs', async (call) => {
  const { views, audit } = runtime();
  const change = await parseBody(call.request, viewChangeSchema);
  const view = await views.change(operatorOf(call.viewer), idOf(call.request), change);
  audit.record(actorOf(call), { kind: 'view_changed', view: view.name, shared: view.shared });
  return Response.json(view);
});

export const DELETE = viewerRoute('own-affairs', async (call) => {
  const { views, audit } = runtime();
  const { name } = await views.remove(operatorOf(call.viewer), idOf(call.request));
  audit.record(actorOf(call), { kind: 'view_removed', view: name });
  return new Response(null, { status: 204 });
});

function idOf(request: Request): string {
  return new URL(request.url).pathname.split('/').at(-1) ?? '';
}

export { refuseMethod as GET, refuseMethod as POST, refuseMethod as PUT };
