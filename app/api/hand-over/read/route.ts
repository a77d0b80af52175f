import { handOverReadSchema } from '#lib/api/watching/hand-over.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const PUT = viewerRoute('own-affairs', async ({ viewer, request }) => {
  const { note } = await parseBody(request, handOverReadSchema);
  await runtime().handOver.markRead(zoneCaller(viewer), note);
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST };
