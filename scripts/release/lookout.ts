// ./lookout: starts Lookout from a release, which is complete.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lookoutCommand } from '../serving/lookout-command.ts';
import { startLookout } from '../serving/start-lookout.ts';

const root = dirname(fileURLToPath(import.meta.url));
const PARTS = ['.next/required-server-files.json', '.next/static', '.places/places.sqlite', 'public/basemap'];

await lookoutCommand(process.argv.slice(2), () =>
  startLookout({
    root,
    dev: false,
    serviceProgram: join(root, 'service.mjs'),
    async prepare() {
      const missing = PARTS.filter((part) => !existsSync(join(root, part)));
      if (missing.length > 0)
        throw new Error(`${root} is no whole release, it has no ${missing.join(', ')}: unpack the release again`);
      const built = JSON.parse(readFileSync(join(root, '.next/required-server-files.json'), 'utf8')) as {
        config: object;
      };
      // Without it, Next looks for packages of the build.
      process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(built.config);
    },
  }),
);
