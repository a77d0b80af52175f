import { COMPACT_HISTORY_TYPE, HISTORY_LINES_TYPE } from '#lib/api/history-line.ts';
import { historyQuerySchema } from '#lib/api/query.ts';
import { compactHistory, historyLines } from '#lib/server/history/history-stream.ts';
import { parseQuery, refuseMethod, viewerRoute } from '#lib/server/route.ts';
import { runtime } from '#lib/server/runtime.ts';
import { streamResponse } from '#lib/server/stream-response.ts';

export const GET = viewerRoute(async (call) => {
  const query = parseQuery(call.request, historyQuerySchema);
  const isCompact = call.request.headers.get('accept') === COMPACT_HISTORY_TYPE;
  const headers = { 'content-type': isCompact ? COMPACT_HISTORY_TYPE : HISTORY_LINES_TYPE };
  // Closing the page ends its load and the requests that only this load waits for.
  return streamResponse(call, headers, (signal) => {
    const events = runtime().history.load(query, signal);
    return isCompact ? compactHistory(events) : historyLines(events);
  });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
