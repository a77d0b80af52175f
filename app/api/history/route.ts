import { COMPACT_HISTORY_TYPE, HISTORY_LINES_TYPE } from '#lib/api/history-line.ts';
import { historyQuerySchema } from '#lib/api/query.ts';
import { compactHistory, historyLines } from '#lib/server/history/history-stream.ts';
import { loadWithAudit } from '#lib/server/routes/load-with-audit.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { streamResponse } from '#lib/server/routes/stream-response.ts';
import { actorOf, queryWithinRole } from '#lib/server/routes/viewer.ts';

export const GET = queryRoute('view', async (call) => {
  const query = parseQuery(call.request, historyQuerySchema);
  const isCompact = call.request.headers.get('accept') === COMPACT_HISTORY_TYPE;
  const headers = { 'content-type': isCompact ? COMPACT_HISTORY_TYPE : HISTORY_LINES_TYPE };
  // Closing the page ends its load.
  return streamResponse(call, headers, (signal) => {
    const events = loadWithAudit(actorOf(call), queryWithinRole(query, call.viewer), signal);
    return isCompact ? compactHistory(events) : historyLines(events);
  });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
