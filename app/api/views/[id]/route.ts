import { viewChangeSchema } from '#lib/api/saved-view.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/route.ts';
import { runtime } from '#lib/server/runtime.ts';
import { operatorOf } from '#lib/server/session-cookie.ts';

export const PATCH = viewerRoute(async ({ request, viewer }) => {
  const change = await parseBody(request, viewChangeSchema);
  return Response.json(runtime().views.change(operatorOf(viewer), idOf(request), change));
});

export const DELETE = viewerRoute(async ({ request, viewer }) => {
  runtime().views.remove(operatorOf(viewer), idOf(request));
  return new Response(null, { status: 204 });
});

/** The last part of the path, whatever it is: what is no id is found nowhere. */
function idOf(request: Request): string {
  return new URL(request.url).pathname.split('/').at(-1) ?? '';
}

export { refuseMethod as GET, refuseMethod as POST, refuseMethod as PUT };
