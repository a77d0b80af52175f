import 'server-only';
import type { RouteRequest } from './route.ts';
import { runtime } from './runtime.ts';

/**
 * A response that is made as it is read: nothing is done ahead of the client. A client that disconnects aborts what `make` started; a failure
 * breaks off the transfer, so that a part is never taken for the whole.
 * @param make is called at once; what it throws is an ordinary refusal
 */
export function streamResponse(
  { request, requestId }: RouteRequest,
  headers: Readonly<Record<string, string>>,
  make: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
): Response {
  const ended = new AbortController();
  request.signal.addEventListener('abort', () => ended.abort(), { once: true });
  const body = make(ended.signal)[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await body.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          if (!ended.signal.aborted)
            runtime().log.error({ err: error, request_id: requestId }, 'an answer was broken off');
          controller.error(error);
        }
      },
      cancel() {
        ended.abort();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { headers: { ...headers } });
}
