import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export const UNFINISHED_SUFFIX = '.unfinished';

/**
 * Writes a file whole or not at all, whenever the process or the machine stops. Rejects with the file system's error.
 */
export async function writeWhole(file: string, bytes: readonly Uint8Array[]): Promise<void> {
  const folder = dirname(file);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = join(folder, basename(file) + UNFINISHED_SUFFIX);
  try {
    const handle = await open(unfinished, 'w', 0o600);
    try {
      for (const part of bytes) await handle.writeFile(part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (failure) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw failure;
  }
  await syncFolder(folder);
  if (made !== undefined) await syncFolder(dirname(made));
}

/** Makes changes of names durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
