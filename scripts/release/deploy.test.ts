import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const ANALYZE = '/usr/bin/systemd-analyze';

test.skipIf(!existsSync(ANALYZE))('systemd finds nothing to say about the unit, and little that is exposed', () => {
  const unit = readFileSync('deploy/lookout.service', 'utf8');
  const file = join(mkdtempSync(join(tmpdir(), 'lookout-unit-')), 'lookout.service');
  // The release is not installed here; a program that is has to stand for it.
  writeFileSync(file, unit.replace('ExecStart=/opt/lookout/lookout', 'ExecStart=/bin/true'));
  const verified = spawnSync(ANALYZE, ['verify', '--man=no', file], { encoding: 'utf8' });
  expect(verified.stderr + verified.stdout).toBe('');
  expect(verified.status).toBe(0);
  const exposed = spawnSync(ANALYZE, ['security', '--offline=yes', '--threshold=25', file], { encoding: 'utf8' });
  expect(exposed.status).toBe(0);
});

test('each step of the Containerfile is a command that there is, and what it starts is what a release makes', () => {
  const steps = readFileSync('deploy/Containerfile', 'utf8');
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync('package.json', 'utf8')));
  const commands = [...steps.matchAll(/^RUN npm run (\S+)/gm)].map(([, name = '']) => name);
  expect(commands).toEqual(['release']);
  expect(scripts).toHaveProperty('release');
  expect(steps).toContain('ENTRYPOINT ["/opt/lookout/lookout"]');
  expect(readFileSync('scripts/release.ts', 'utf8')).toContain("['lookout', 'operator', 'backup']");
});
