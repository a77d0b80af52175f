import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatInstant, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';

/** Has an instant: older data beyond the limits may be deleted. */
function confirmedDeletionFileIn(path: string): string {
  return join(path, 'past-may-be-deleted-before');
}

/** Throws the file system's error. */
export function confirmDeletion(path: string, before: UpstreamInstant): void {
  const file = confirmedDeletionFileIn(path);
  writeFileSync(`${file}.new`, `${formatInstant(before)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function confirmedDeletion(path: string): UpstreamInstant | undefined {
  const file = confirmedDeletionFileIn(path);
  try {
    return existsSync(file) ? parseInstant(readFileSync(file, 'utf8').trim()) : undefined;
  } catch {
    return undefined;
  }
}
