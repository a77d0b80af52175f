import { seekBodySchema } from '#lib/api/query.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('read-history', async ({ request, viewer }) => {
  const { load, from } = await parseBody(request, seekBodySchema);
  return Response.json({ running: await runtime().history.seek(viewer.operator.id, load, from) });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
