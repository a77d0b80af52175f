import 'server-only';
import { CSV_TYPE } from '#lib/text/csv.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { asCause } from '../history/request-cause.ts';
import { runtime } from '../runtime.ts';
import type { RunPiece } from '../work/work.ts';
import { asStreamed } from './in-queue.ts';
import type { RouteRequest } from './route.ts';
import { isStillSignedIn, type Viewer } from './viewer.ts';

/** An answer ends at most this long after its session. */
const SESSION_CHECKED_EVERY_MS = SECOND_MS;

const direct: RunPiece = (piece) => piece();

/**
 * Made as it is read. A disconnect or the session's end aborts `make` and breaks off the transfer, so that a part never
 * passes as the whole.
 * @param make is called at once; what it throws is an ordinary refusal
 */
export function streamResponse(
  { request, requestId, viewer, runPiece = direct }: RouteRequest & { readonly viewer: Viewer },
  headers: Readonly<Record<string, string>>,
  make: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
): Response {
  if (request.signal.aborted) return new Response(null, { headers: { ...headers } });
  const ended = new AbortController();
  const { signal } = ended;
  // Node keeps a signal of AbortSignal.any and its listeners until it is aborted.
  request.signal.addEventListener('abort', () => ended.abort(request.signal.reason), { once: true });
  const body = asCause(requestId, () => make(signal)[Symbol.asyncIterator]());
  const end = () => {
    ended.abort();
    body.return?.().catch(() => undefined);
  };
  if (request.method === 'HEAD') {
    end();
    return new Response(null, { headers: { ...headers } });
  }
  let check: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', () => clearInterval(check), { once: true });
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (!viewer.session) return;
        check = setInterval(async () => {
          if ((await isStillSignedIn(viewer)) || signal.aborted) return;
          end();
          // Next takes this for a disconnect, and logs nothing.
          controller.error(new DOMException('the session has ended', 'AbortError'));
        }, SESSION_CHECKED_EVERY_MS);
        check.unref();
      },
      async pull(controller) {
        try {
          const { done, value } = await runPiece(() => asCause(requestId, () => body.next()));
          if (!done) return controller.enqueue(value);
          clearInterval(check);
          controller.close();
        } catch (error) {
          if (!signal.aborted) runtime().log.error({ err: error, request_id: requestId }, 'an answer was broken off');
          end();
          controller.error(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return asStreamed(new Response(stream, { headers: { ...headers } }));
}

/** @param what for the name of the file */
export function csvFile(
  call: Parameters<typeof streamResponse>[0],
  what: string,
  { as_of }: { readonly as_of: string },
  rows: Iterable<Uint8Array>,
): Response {
  const name = `lookout-${what}-${as_of.replaceAll(/[-:]|\.\d+/g, '')}.csv`;
  const headers = { 'content-type': CSV_TYPE, 'content-disposition': `attachment; filename="${name}"` };
  return streamResponse(call, headers, async function* () {
    yield* rows;
  });
}
