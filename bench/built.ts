import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareBasemap, prepareBuild } from '../scripts/setup/prepare.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Builds whatever is out of date, like `npm start`. */
export async function built(): Promise<void> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  await prepareBasemap(root, say);
  await prepareBuild(root, say);
}
