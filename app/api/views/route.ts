import { newViewSchema } from '#lib/api/saved-view.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/route.ts';
import { runtime } from '#lib/server/runtime.ts';
import { operatorOf } from '#lib/server/session-cookie.ts';

export const GET = viewerRoute(async ({ viewer }) => Response.json(runtime().views.list(operatorOf(viewer))));

export const POST = viewerRoute(async ({ request, viewer }) => {
  const view = await parseBody(request, newViewSchema);
  return Response.json(runtime().views.add(operatorOf(viewer), view), { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
