import { COMPACT_HISTORY_TYPE, HISTORY_LINES_TYPE } from '#lib/api/history-line.ts';
import { historyQuerySchema } from '#lib/api/query.ts';
import { compactHistory, historyLines } from '#lib/server/history/history-stream.ts';
import { parseQuery, refuseMethod, viewerRoute } from '#lib/server/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute(async ({ request, requestId }) => {
  const query = parseQuery(request, historyQuerySchema);
  const { history, log } = runtime();
  // Closing the page ends its load and the requests that only this load waits for.
  const ended = new AbortController();
  request.signal.addEventListener('abort', () => ended.abort(), { once: true });
  const events = history.load(query, ended.signal);
  const isCompact = request.headers.get('accept') === COMPACT_HISTORY_TYPE;
  const body = (isCompact ? compactHistory(events) : historyLines(events))[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await body.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          if (!ended.signal.aborted) log.error({ err: error, request_id: requestId }, 'a load of history failed');
          controller.error(error);
        }
      },
      cancel() {
        ended.abort();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { headers: { 'content-type': isCompact ? COMPACT_HISTORY_TYPE : HISTORY_LINES_TYPE } });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
