import { incidentAnswerQuerySchema } from '#lib/api/watching/incidents.ts';
import { loadWithAudit } from '#lib/server/routes/load-with-audit.ts';
import { parseQuery, pathSegment, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, queryWithinRole } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

/** Where requests use up an allowance, it is made of what is cached unless an operator asks for more. */
export const GET = queryRoute('view', async (call) => {
  const { incidents, config } = runtime();
  const { max_requests = 0 } = parseQuery(call.request, incidentAnswerQuerySchema);
  const maxRequests = config.upstream.hasAllowance ? max_requests : undefined;
  const answer = await incidents.answer(pathSegment(call.request, 2), maxRequests, {
    load: (query, signal) => loadWithAudit(actorOf(call), queryWithinRole(query, call.viewer), signal),
    signal: call.request.signal,
  });
  return Response.json(answer);
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
