import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Only tests read these files: no build depends on them. */
const OF_TESTS = /\.(test|fixture)\.tsx?$/;

/**
 * SHA-256 of Node's version and of the paths and contents of all files below the given places, but for those of tests.
 * Missing places are skipped.
 */
export function hashOf(root: string, places: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const place of places) {
    for (const file of filesBelow(join(root, place))) {
      hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
    }
  }
  return hash.digest('hex');
}

function filesBelow(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return OF_TESTS.test(path) ? [] : [path];
  return readdirSync(path, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesBelow(join(path, entry.name)));
}

/** Does the work unless it was done before in the same state. Records the state once the work has succeeded. */
export async function oncePerState(stampFile: string, state: string, work: () => Promise<void>): Promise<void> {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === state) return;
  await work();
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, state);
}
