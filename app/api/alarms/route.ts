import { ApiError } from '#lib/api/error-code.ts';
import { alarmsQuerySchema } from '#lib/api/watching/alarms.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { alarmsInArea } from '#lib/server/routes/token-bounds.ts';
import { isStillSignedIn, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('read-alarms', async ({ viewer, request }) => {
  const query = parseQuery(request, alarmsQuerySchema);
  const { alarms, presence, clock, work } = runtime();
  const caller = zoneCaller(viewer);
  const askedAt = clock.now();
  const { signal } = request;
  const answer = await alarms.list(caller, query, {
    runPiece: (read) => work.run('log', viewer.operator.id, signal, read),
    signal,
  });
  if (query.wait) {
    // The session may have ended during the wait.
    if (!(await isStillSignedIn(viewer))) throw new ApiError('not_signed_in', 'Sign in first: POST /api/session.');
    if (!viewer.token) presence.received(caller, askedAt);
  }
  return Response.json({ ...answer, alarms: await alarmsInArea(viewer, answer.alarms) });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
