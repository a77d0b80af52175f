import 'server-only';
import { closeSync, openSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import PQueue from 'p-queue';
import type { Source } from 'pmtiles';
import { storageProblem } from '#lib/server/database/database-failure.ts';
import { mapFileProblem } from '#lib/server/maps/map-file.ts';
import type { Batch, RegionPlan } from './plan-region.ts';
import { FetchFailure } from './range-source.ts';

const REQUESTS_AT_ONCE = 4;

/**
 * Replaces an older file only when the new one is whole.
 * @param onBatch called after each request
 * @throws FetchFailure; errors of the source
 */
export async function writeRegion(
  source: Source,
  plan: RegionPlan,
  file: string,
  onBatch: (batch: Batch) => void = () => undefined,
): Promise<void> {
  const unfinished = `${file}.${process.pid}.part`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await requireDiskSpace(dirname(file), plan.bytes);
    const handle = await open(unfinished, 'wx');
    try {
      await handle.write(plan.head, 0, plan.head.byteLength, 0);
      await copyBatches(source, plan.batches, handle, onBatch);
      await handle.sync();
    } finally {
      await handle.close();
    }
    requireWhole(unfinished);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw described(error, file);
  }
}

async function copyBatches(
  source: Source,
  batches: readonly Batch[],
  handle: FileHandle,
  onBatch: (batch: Batch) => void,
) {
  const queue = new PQueue({ concurrency: REQUESTS_AT_ONCE });
  try {
    await Promise.all(
      batches.map((batch) =>
        queue.add(async () => {
          await copyBatch(source, batch, handle);
          onBatch(batch);
        }),
      ),
    );
  } finally {
    // No request may write to a closed file.
    queue.clear();
    await queue.onIdle();
  }
}

async function copyBatch(source: Source, batch: Batch, handle: FileHandle): Promise<void> {
  const { data } = await source.getBytes(batch.offset, batch.length);
  if (data.byteLength < batch.length) throw new FetchFailure('The archive is cut short: a part of it is missing.');
  for (const { offset, length, to } of batch.tiles) {
    const { bytesWritten } = await handle.write(new Uint8Array(data, offset - batch.offset, length), 0, length, to);
    if (bytesWritten < length) throw Object.assign(new Error('short write'), { syscall: 'write', code: 'ENOSPC' });
  }
}

async function requireDiskSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes)
    throw new FetchFailure(
      `The map needs ${sizeText(bytes)}, and the disk of ${folder} has ${sizeText(bavail * bsize)}. Make room, or take a smaller radius.`,
    );
}

function requireWhole(file: string): void {
  const fd = openSync(file, 'r');
  try {
    const problem = mapFileProblem(fd, statSync(file).size);
    if (problem !== undefined) throw new FetchFailure(`The region ${problem}.`);
  } finally {
    closeSync(fd);
  }
}

function described(error: unknown, file: string): unknown {
  const problem = storageProblem(error);
  if (problem === undefined) return error;
  return new FetchFailure(
    problem === 'full'
      ? `The disk of ${file} is full; nothing of the map was kept.`
      : `${file} can't be written: ${(error as Error).message}.`,
  );
}

export function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
