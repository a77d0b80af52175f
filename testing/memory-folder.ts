import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterProcess } from './after-process.ts';

const IN_MEMORY = '/dev/shm';
/** Containers often have 64 MB. */
const ROOM_BYTES = 2e9;

/** Whether `memoryFolder` is in memory: there, no commit waits for a disk. */
export const hasMemoryFolder = roomIn(IN_MEMORY) >= ROOM_BYTES;

let ofProcess: string | undefined;

/** Removed with this process at the latest. */
export function memoryFolder(prefix: string): string {
  ofProcess ??= newFolderOfProcess();
  return mkdtempSync(join(ofProcess, prefix));
}

function newFolderOfProcess(): string {
  const folder = newMemoryFolder('lookout-memory-');
  afterProcess('rm -rf "$0"', [folder]);
  return folder;
}

/** The caller removes it. */
export function newMemoryFolder(prefix: string): string {
  return mkdtempSync(join(hasMemoryFolder ? IN_MEMORY : tmpdir(), prefix));
}

function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
