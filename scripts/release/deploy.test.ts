import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { settingsSchema } from '#lib/server/settings/config.ts';
import { readServeOptions } from '#service/cli/read-serve-options.ts';
import { PROGRAMS } from './write-programs.ts';

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: z.record(z.string(), z.string()).default({}),
      volumes: z.array(z.string()),
      read_only: z.boolean().default(false),
      cap_drop: z.array(z.string()).default([]),
      cap_add: z.array(z.string()).default([]),
      security_opt: z.array(z.string()).default([]),
      tmpfs: z.array(z.string()).default([]),
      mem_limit: z.string().default(''),
    }),
  ),
});

const UNITS = ['lookout.service', 'lookout@.service', 'lookout-service.service'];

const ANALYZE = '/usr/bin/systemd-analyze';

test.skipIf(!existsSync(ANALYZE)).each([
  ['lookout.service', 'lookout.service'],
  ['lookout@.service', 'lookout@3001.service'],
  ['lookout-service.service', 'lookout-service.service'],
])('systemd accepts %s without a warning, and rates its exposure as low', (name, started) => {
  const unit = readFileSync(join('deploy', name), 'utf8');
  const file = join(mkdtempSync(join(tmpdir(), 'lookout-unit-')), started);
  writeFileSync(file, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
  const verified = spawnSync(ANALYZE, ['verify', '--man=no', file], { encoding: 'utf8' });
  expect(verified.stderr + verified.stdout).toBe('');
  expect(verified.status).toBe(0);
  const exposed = spawnSync(ANALYZE, ['security', '--offline=yes', '--threshold=25', file], { encoding: 'utf8' });
  expect(exposed.status).toBe(0);
});

/** Pause in seconds before a start that follows `restarts` failed ones. */
function pauseOf(unit: string, restarts: string): number {
  const [, script = ''] = /^ExecStartPre=-\/bin\/sh -c '(.*)'$/m.exec(unit) ?? [];
  const programs = mkdtempSync(join(tmpdir(), 'lookout-programs-'));
  const program = (name: string, text: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program('systemctl', `[ "$*" = "show --value --property=NRestarts lookout.service" ] && echo ${restarts}`);
  program('sleep', 'echo "$1"');
  // As systemd reads it: $$ is a dollar, %n the unit's name.
  const command = script.replaceAll('$$', '$').replaceAll('%n', 'lookout.service');
  const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', command], {
    env: { ...process.env, PATH: programs },
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return Number(stdout.trim() || '0');
}

test.each(UNITS)('%s retries for ever, in pauses that grow up to a minute', (name) => {
  const unit = readFileSync(join('deploy', name), 'utf8');
  expect(unit).toMatch(/^Restart=on-failure$/m);
  expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
  expect(['0', '1', '2', '3', '5', '6', '7', '1000'].map((count) => pauseOf(unit, count))).toEqual([
    0, 2, 4, 8, 32, 64, 64, 64,
  ]);
  expect(pauseOf(unit, ''), 'without a bus').toBe(0);
  const [, timeoutS = ''] = /^TimeoutStartSec=(\d+)$/m.exec(unit) ?? [];
  expect(Number(timeoutS)).toBeGreaterThan(64);
});

test.each(UNITS)('%s bounds the memory of a server', (name) => {
  expect(readFileSync(join('deploy', name), 'utf8')).toMatch(/^MemoryMax=\d+[MG]$/m);
});

test.each(UNITS)('%s starts a program of a release with options that it has', (name) => {
  const unit = readFileSync(join('deploy', name), 'utf8');
  const [, program = '', options = ''] = /^ExecStart=\/opt\/lookout\/(\S+)(?: serve)?(.*)$/m.exec(unit) ?? [];
  expect(PROGRAMS).toHaveProperty(program);
  const args = options
    .trim()
    .replace(/\$\{PORT\}/, '8787')
    .split(' ');
  if (program === 'service') expect(readServeOptions(args, {})).toMatchObject({ ok: true });
  else expect(options).toBe('');
});

test.each([
  ['Containerfile', /^FROM (\S+)/gm],
  ['compose.yaml', /^ +image: (.*)$/gm],
])('%s pins every image of others by digest', (file, pattern) => {
  const images = [...readFileSync(join('deploy', file), 'utf8').matchAll(pattern)].map(([, image = '']) => image);
  const ofOthers = images.filter((image) => image !== 'lookout');
  expect(ofOthers).toHaveLength(2);
  for (const image of ofOthers) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

test('each container is closed: it writes to its volumes alone, gains no privilege, and has a bound on memory', () => {
  const { services } = composeSchema.parse(parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true }));
  expect(Object.keys(services)).toHaveLength(5);
  for (const [name, service] of Object.entries(services)) {
    const { read_only, cap_drop, cap_add, security_opt, tmpfs, mem_limit } = service;
    expect([read_only, cap_drop, security_opt], name).toEqual([true, ['ALL'], ['no-new-privileges:true']]);
    expect(mem_limit, name).toMatch(/^\d+[mg]$/);
    expect(tmpfs, name).toContain('/tmp');
    if (name.startsWith('lookout-')) expect(cap_add).toEqual([]);
  }
});

test('nginx passes the largest body that the API takes, and none that is larger than twice that', () => {
  const [, kib = ''] = /client_max_body_size (\d+)k;/.exec(readFileSync('deploy/nginx.conf', 'utf8')) ?? [];
  expect(Number(kib) * 1024).toBeGreaterThanOrEqual(BODY_MAX_BYTES);
  expect(Number(kib) * 1024).toBeLessThanOrEqual(2 * BODY_MAX_BYTES);
});

test('the image has no folder that nothing uses', () => {
  expect(readFileSync('deploy/Containerfile', 'utf8')).toMatch(/^RUN install -d -m 700 -o 65534 -g 65534 \/data$/m);
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
  expect(PROGRAMS).toHaveProperty('lookout');
});

test('the containers of several servers use only existing settings, and each has its own data', () => {
  const { services } = composeSchema.parse(parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true }));
  const servers = Object.entries(services).filter(([name]) => name.startsWith('lookout-'));
  expect(servers).toHaveLength(3);
  for (const [name, { environment, volumes }] of servers) {
    for (const setting of Object.keys(environment)) expect(settingsSchema.shape).toHaveProperty(setting);
    expect(environment.SERVER_NAME).toBe(name);
    expect(volumes).toContain(`${name.replace('lookout', 'data')}:/data`);
    expect(volumes).toContain('./secrets/database-password:/run/lookout/database-password:ro');
  }
});
