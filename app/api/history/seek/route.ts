import { seekBodySchema } from '#lib/api/query.ts';
import { ApiError } from '#lib/server/api-error.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute(async ({ request }) => {
  const { load, from } = await parseBody(request, seekBodySchema);
  if (!runtime().history.seek(load, from)) throw new ApiError('not_found', 'No load of this name is running.');
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
