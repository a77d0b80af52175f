import { newViewSchema } from '#lib/api/saved-view.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, operatorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('own-affairs', async ({ viewer }) =>
  Response.json(await runtime().views.list(operatorOf(viewer))),
);

export const POST = viewerRoute('own-affairs', async (call) => {
  const { views, audit } = runtime();
  const { operator } = call.viewer;
  const view = await views.add(
    operatorOf(call.viewer),
    await parseBody(call.request, newViewSchema),
    call.viewer.session && operator.name,
  );
  audit.record(actorOf(call), { kind: 'view_added', view: view.name, shared: view.shared });
  return Response.json(view, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
