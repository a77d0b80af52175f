import type { PresenceAnswer } from '#lib/api/watching/alarms.ts';
import { windowQuerySchema } from '#lib/api/watching/zones.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async ({ viewer, request }) => {
  const { start, end } = parseQuery(request, windowQuerySchema);
  const answer: PresenceAnswer = viewer.session
    ? await runtime().presence.between(start, end)
    : { operators: null, cut: false };
  return Response.json(answer);
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
