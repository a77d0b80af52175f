import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settingsSchema } from '#lib/server/config.ts';

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({ environment: z.record(z.string(), z.string()).default({}), volumes: z.array(z.string()) }),
  ),
});

const ANALYZE = '/usr/bin/systemd-analyze';

test.skipIf(!existsSync(ANALYZE)).each([
  ['lookout.service', 'lookout.service'],
  ['lookout@.service', 'lookout@3001.service'],
])('systemd finds nothing to say about %s, and little that is exposed', (name, started) => {
  const unit = readFileSync(join('deploy', name), 'utf8');
  const file = join(mkdtempSync(join(tmpdir(), 'lookout-unit-')), started);
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

test('what the containers of several servers are given are settings that there are, and each has data of its own', () => {
  const { services } = composeSchema.parse(parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true }));
  const servers = Object.entries(services).filter(([name]) => name.startsWith('lookout-'));
  expect(servers).toHaveLength(3);
  for (const [name, { environment, volumes }] of servers) {
    for (const setting of Object.keys(environment)) expect(settingsSchema.shape).toHaveProperty(setting);
    expect(environment.REPLICA_NAME).toBe(name);
    expect(volumes).toContain(`${name.replace('lookout', 'data')}:/data`);
    expect(volumes).toContain('people:/people');
  }
});
