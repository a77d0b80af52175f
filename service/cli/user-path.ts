import { resolve } from 'node:path';

/** A path as whoever typed it means it: npm runs its scripts in the folder of package.json. */
export function userPath(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}
