import 'server-only';
import { runtime } from '../runtime.ts';
import type { RunPiece } from '../work/work.ts';
import { type WorkKind, workOf } from '../work/work-table.ts';

/** The place is kept until an answer of more is read: it stays in memory. */
const CHUNK_BYTES = 64 * 1024;

const streamed = new WeakSet<Response>();

/** Declares an answer that is made as it is read. */
export function asStreamed(answer: Response): Response {
  streamed.add(answer);
  return answer;
}

/** Where lib/server/work/work-table.ts has a queue for the request. @param by whom the queue is of */
export function inQueue(
  request: Request,
  by: string,
  run: (runPiece: RunPiece | undefined) => Promise<Response>,
): Promise<Response> {
  const kind = workOf(request.method, new URL(request.url).pathname);
  return kind === undefined ? run(undefined) : inQueueOf(kind, request, by, run);
}

/**
 * @param run is one piece of work; what its answer does as it is read queues pieces of its own
 * @throws ApiError where the queue is full
 */
export async function inQueueOf(
  kind: WorkKind,
  { signal }: Request,
  by: string,
  run: (runPiece: RunPiece) => Promise<Response>,
): Promise<Response> {
  const work = await runtime().work.enter(kind, by, signal);
  try {
    const answer = await work.runPiece(() => run(work.runPiece));
    const { status, headers } = answer;
    if (streamed.has(answer) && answer.body)
      return new Response(readUntilEnd(answer.body, work.leave), { status, headers });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (bytes.byteLength > CHUNK_BYTES)
      return new Response(readUntilEnd(chunked(bytes), work.leave), { status, headers });
    work.leave();
    return new Response(answer.body && bytes, { status, headers });
  } catch (error) {
    work.leave();
    throw error;
  }
}

function chunked(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let from = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(from, from + CHUNK_BYTES));
        from += CHUNK_BYTES;
        if (from >= bytes.byteLength) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function readUntilEnd(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          ended();
          controller.close();
        } catch (error) {
          ended();
          controller.error(error);
        }
      },
      async cancel(reason) {
        ended();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
