import { resolve } from 'node:path';

/** npm runs scripts in the folder of package.json. */
export function userPath(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}
