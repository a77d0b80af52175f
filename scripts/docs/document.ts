import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param path relative to the root */
export function documentText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
