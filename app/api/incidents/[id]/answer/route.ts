import { incidentAnswerQuerySchema } from '#lib/api/watching/incident-actions.ts';
import { ZONES } from '#lib/server/live/plan/demand-of-all.ts';
import { loadWithAudit } from '#lib/server/routes/load-with-audit.ts';
import { parseQuery, pathSegment, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, queryWithinRole } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

/** Where requests use up an allowance, it is made of what is cached unless an operator asks for more. */
export const GET = queryRoute('view', async (call) => {
  const { incidents, config, history } = runtime();
  const { max_requests = 0 } = parseQuery(call.request, incidentAnswerQuerySchema);
  const isPaid = config.upstream.hasAllowance && max_requests > 0;
  const answer = await incidents.answer(
    pathSegment(call.request, 2),
    config.upstream.hasAllowance ? max_requests : undefined,
    {
      // Pages poll it: such a read is no load of an operator, and has no entry in the audit.
      load: (query, signal) =>
        isPaid
          ? loadWithAudit(actorOf(call), queryWithinRole(query, call.viewer), signal)
          : history.load(query, ZONES, signal),
      signal: call.request.signal,
    },
  );
  return Response.json(answer);
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
