import { seenSchema } from '#lib/api/watching/alarms.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { operatorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('own-affairs', async ({ viewer }) =>
  Response.json(await runtime().seenTo.of(operatorOf(viewer))),
);

export const PUT = viewerRoute('own-affairs', async ({ viewer, request }) => {
  const seen = await parseBody(request, seenSchema);
  await runtime().seenTo.set(operatorOf(viewer), seen);
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST };
