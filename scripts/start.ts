// npm start, npm run dev: starts Lookout from a clone. Builds what is missing.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lookoutCommand } from './serving/lookout-command.ts';
import { startProblem } from './serving/server-program.ts';
import { startLookout } from './serving/start-lookout.ts';
import { prepareBasemap, prepareBuild } from './setup/prepare.ts';
import { diskRemedy, endQuietRuns } from './setup/run-quietly.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const dev = args[0] === '--dev';

await lookoutCommand(dev ? args.slice(1) : args, () =>
  startLookout({
    root,
    dev,
    serviceProgram: join(root, 'service/cli.ts'),
    async prepare() {
      const say = (progress: string) => process.stdout.write(`${progress}\n`);
      try {
        await prepareBasemap(root, say);
        if (!dev) await prepareBuild(root, say);
      } catch (error) {
        throw new Error(diskRemedy(root, startProblem(error)) ?? startProblem(error));
      }
    },
    endPreparing: endQuietRuns,
  }),
);
