import { startViewSchema } from '#lib/api/saved-view.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/route.ts';
import { runtime } from '#lib/server/runtime.ts';
import { operatorOf } from '#lib/server/session-cookie.ts';

export const PUT = viewerRoute(async ({ request, viewer }) => {
  const { id } = await parseBody(request, startViewSchema);
  runtime().views.setStart(operatorOf(viewer), id);
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST };
