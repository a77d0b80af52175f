import { startViewSchema } from '#lib/api/saved-view.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, operatorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const PUT = viewerRoute('own-affairs', async (call) => {
  const { views, audit } = runtime();
  const { id } = await parseBody(call.request, startViewSchema);
  const view = await views.setStart(operatorOf(call.viewer), id);
  audit.record(actorOf(call), { kind: 'start_view_set', view: view?.name ?? null });
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST };
