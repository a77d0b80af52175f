import { exportQuerySchema } from '#lib/api/query.ts';
import { exportOf } from '#lib/server/routes/export-of.ts';
import { inQueueOf } from '#lib/server/routes/in-queue.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { streamResponse } from '#lib/server/routes/stream-response.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import type { RunPiece } from '#lib/server/work/work.ts';

export const GET = queryRoute('view', async (call) => {
  const query = parseQuery(call.request, exportQuerySchema);
  const answer = async (runPiece?: RunPiece) => {
    const { headers, body } = await exportOf(query, call.viewer, actorOf(call));
    return streamResponse({ ...call, runPiece }, headers, body);
  };
  // Loads of the past have a queue of their own.
  return query.live ? inQueueOf('positions', call.request, call.viewer.operator.id, answer) : answer();
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
