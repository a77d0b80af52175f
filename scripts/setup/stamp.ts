import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** No build depends on tests. */
const OF_TESTS = /\.(test|fixture)\.tsx?$/;

/** SHA-256 of Node's version, paths and contents. Skips missing places. */
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

/** Records the state after success. */
export async function oncePerState(stampFile: string, state: string, work: () => Promise<void>): Promise<void> {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === state) return;
  await work();
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, state);
}
