import { ApiError } from '#lib/api/error-code.ts';
import { recheckBodySchema } from '#lib/api/status-answer.ts';
import { bboxesOverlap } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('read-state', async ({ viewer }) => {
  const status = await runtime().status.read();
  const area = viewer.token?.area;
  const areas = status.areas.filter(({ bbox }) => !area || bboxesOverlap(area, boxFromCorners(bbox)));
  return Response.json({ ...status, areas });
});

export const POST = viewerRoute('spend', async ({ request }) => {
  const { recheck } = await parseBody(request, recheckBodySchema);
  const waitMs = runtime().status.recheck(recheck);
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    throw new ApiError('too_many_attempts', `Checked too recently; try again in ${seconds} s.`, seconds);
  }
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
