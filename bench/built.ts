import { ROOT } from '../e2e/running/child-process.ts';
import { prepareBasemap, prepareBuild } from '../scripts/setup/prepare.ts';

export async function built(): Promise<void> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  await prepareBasemap(ROOT, say);
  await prepareBuild(ROOT, say);
}
