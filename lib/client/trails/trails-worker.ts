/// <reference lib="webworker" />
import '../request/zod-without-eval.ts';
import { COMPACT_TRAILS_TYPE } from '#lib/api/trails-answer.ts';
import { columnBuffers } from '#lib/codec/record-columns.ts';
import { readTrails } from './read-trails.ts';
import type { TrailsReply, TrailsRequest } from './trails-protocol.ts';

const worker = self as unknown as DedicatedWorkerGlobalScope;

/** Off the main thread: decoding a hundred thousand positions takes several frames. */
worker.onmessage = ({ data: { id, address } }: MessageEvent<TrailsRequest>) => {
  load(address).then(
    (trails) => {
      const transfer = Object.values(trails.layers).flatMap(columnBuffers);
      worker.postMessage({ kind: 'trails', id, trails } satisfies TrailsReply, transfer);
    },
    (error: unknown) => worker.postMessage({ kind: 'failed', id, message: String(error) } satisfies TrailsReply),
  );
};

async function load(address: string) {
  const response = await fetch(address, {
    headers: { accept: COMPACT_TRAILS_TYPE },
    cache: 'no-store',
    redirect: 'error',
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return readTrails(await response.arrayBuffer());
}
