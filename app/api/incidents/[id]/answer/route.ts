import { incidentAnswerQuerySchema } from '#lib/api/watching/incident-actions.ts';
import { pastOf } from '#lib/server/routes/load-with-audit.ts';
import { parseQuery, pathSegment, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

/** Whose reads these are: pages poll the answer, so that they are no loads of an operator, nor in the audit. */
const INCIDENTS = '(incidents)';

/** Where requests use up an allowance, it is made of what is cached unless an operator asks for more. */
export const GET = queryRoute('view', async (call) => {
  const { incidents, config, history, work } = runtime();
  const { request, viewer } = call;
  const { max_requests = 0 } = parseQuery(request, incidentAnswerQuerySchema);
  const { hasAllowance } = config.upstream;
  const isPaid = hasAllowance && max_requests > 0;
  const answer = await incidents.answer(pathSegment(request, 2), hasAllowance ? max_requests : undefined, {
    load: isPaid ? pastOf(call) : (query, signal) => history.load(query, INCIDENTS, signal),
    signal: request.signal,
    runPiece: (hour) => work.run('incident_answer', viewer.operator.id, request.signal, hour),
  });
  return Response.json(answer);
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
