import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Of the folder and of everything in it, such as `600`. */
export function modesIn(folder: string): readonly (readonly [path: string, mode: string])[] {
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return [folder, ...inside].map((path) => [path, (lstatSync(path).mode & 0o777).toString(8)]);
}
