import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatInstant, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';

/** Holds an instant: what was received before it, and is older than is kept, may be deleted. */
function confirmedDeletionFileIn(path: string): string {
  return join(path, 'past-may-be-deleted-before');
}

/** Throws what the file system says. */
export function confirmDeletion(path: string, before: UpstreamInstant): void {
  const file = confirmedDeletionFileIn(path);
  writeFileSync(`${file}.new`, `${formatInstant(before)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Undefined if nothing is confirmed, or the file cannot be read. */
export function confirmedDeletion(path: string): UpstreamInstant | undefined {
  const file = confirmedDeletionFileIn(path);
  try {
    return existsSync(file) ? parseInstant(readFileSync(file, 'utf8').trim()) : undefined;
  } catch {
    return undefined;
  }
}
