import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../docs/document.ts';

const { version, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const OF_DEVELOPERS = ['test', 'test:long', 'release', 'servers', 'bench'];
const files = Object.keys(scripts)
  .filter((name) => !OF_DEVELOPERS.includes(name))
  .map((name) => /bootstrap\.mjs (\S+)/.exec(scripts[name])?.[1] ?? '');

test.each([...new Set([...files, 'scripts/release/lookout.ts'])])(
  '%s answers --version, and does nothing else',
  (file) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=react-server', file, '--version'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `Lookout ${version}\n`, stderr: '' });
  },
);

test.each(['scripts/operator.ts', 'scripts/map.ts', 'service/cli.ts'])(
  'the help of %s begins with the version',
  (file) => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=react-server', file, '--help'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stdout + stderr).toMatch(new RegExp(`^Lookout ${version}\n`));
  },
);
