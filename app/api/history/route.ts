import { COMPACT_HISTORY_TYPE, HISTORY_LINES_TYPE } from '#lib/api/history-line.ts';
import { historyQuerySchema } from '#lib/api/query.ts';
import { compactHistory, historyLines } from '#lib/server/history/history-stream.ts';
import { pricedPastOf } from '#lib/server/routes/load-with-audit.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { streamResponse } from '#lib/server/routes/stream-response.ts';
import { requireTokenArea } from '#lib/server/routes/token-bounds.ts';

export const GET = queryRoute('read-history', async (call) => {
  const query = parseQuery(call.request, historyQuerySchema);
  requireTokenArea(call.viewer, query.bbox);
  const area = call.viewer.token?.area;
  // The compact form has whole parts, which reach out of a token's area.
  const isCompact = call.request.headers.get('accept') === COMPACT_HISTORY_TYPE && !area;
  const headers = { 'content-type': isCompact ? COMPACT_HISTORY_TYPE : HISTORY_LINES_TYPE };
  const load = await pricedPastOf(call, query);
  // Closing the page ends its load.
  return streamResponse(call, headers, (signal) =>
    isCompact ? compactHistory(load(signal)) : historyLines(load(signal), area),
  );
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
