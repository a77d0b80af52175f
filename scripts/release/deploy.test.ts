import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { readConfig, settingsSchema } from '#lib/server/settings/config.ts';
import { readServeOptions } from '#service/cli/read-serve-options.ts';
import { PROGRAMS } from './write-programs.ts';

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: z.record(z.string(), z.string()).default({}),
      env_file: z.string().optional(),
      command: z.array(z.string()).default([]),
      restart: z.string(),
      pids_limit: z.number(),
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
const COMPOSE_FILES = ['compose.yaml', 'compose-servers.yaml'];

function servicesOf(file: string) {
  return composeSchema.parse(parse(readFileSync(join('deploy', file), 'utf8'), { merge: true })).services;
}

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
  ['Containerfile', /^FROM (\S+)/gm, 2],
  ['compose.yaml', /^ +image: (.*)$/gm, 1],
  ['compose-servers.yaml', /^ +image: (.*)$/gm, 2],
] as const)('%s pins every image of others by digest', (file, pattern, count) => {
  const images = [...readFileSync(join('deploy', file), 'utf8').matchAll(pattern)].map(([, image = '']) => image);
  const ofOthers = images.filter((image) => image !== 'lookout');
  expect(ofOthers).toHaveLength(count);
  for (const image of ofOthers) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

test.each(COMPOSE_FILES)(
  '%s closes each container: it writes to its volumes alone, gains no privilege, and has bounds',
  (file) => {
    for (const [name, service] of Object.entries(servicesOf(file))) {
      const { read_only, cap_drop, cap_add, security_opt, tmpfs, mem_limit } = service;
      expect([read_only, cap_drop, security_opt], name).toEqual([true, ['ALL'], ['no-new-privileges:true']]);
      expect(mem_limit, name).toMatch(/^\d+[mg]$/);
      expect(service.pids_limit, name).toBeGreaterThan(0);
      expect(service.restart, `${name} starts with the machine`).toBe('always');
      expect(tmpfs, name).toContain('/tmp');
      if (name.startsWith('lookout')) expect(cap_add).toEqual([]);
    }
  },
);

test.each([
  ['compose.yaml', ['server lookout:3000 resolve;']],
  ['compose-servers.yaml', ['1', '2', '3'].map((each) => `server lookout-${each}:3000 resolve fail_timeout=1s;`)],
])('the front of %s makes its site from nginx.conf, with the servers that there are', (file, servers) => {
  const [, , script = ''] = servicesOf(file).front?.command ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'lookout-front-'));
  writeFileSync(join(folder, 'resolv.conf'), 'search example\nnameserver 127.0.0.11 \nnameserver 192.0.2.1\n');
  const here = script
    .replaceAll('$$', '$')
    .replace('/etc/nginx/conf.d', folder)
    .replace('/etc/resolv.conf', join(folder, 'resolv.conf'))
    .replace('/etc/lookout/nginx.conf', resolve('deploy/nginx.conf'))
    .replace(/^exec nginx .*$/m, '');
  const made = spawnSync('/bin/sh', ['-ec', here], { encoding: 'utf8' });
  expect([made.status, made.stderr]).toEqual([0, '']);
  const site = readFileSync(join(folder, 'lookout.conf'), 'utf8');
  expect(site.split('\n')[0]).toBe('resolver 127.0.0.11 valid=5s ipv6=off;');
  expect(site).toContain(`    zone lookout 64k; ${servers.join(' ')}\n`);
  expect(site).toContain('listen 443 ssl http2;');
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

/** A line that systemd, Docker and Podman read alike. */
const ENV_LINE = /^([A-Z_]+)=([^\s'"$#`\\]+)$/;

function examples(): {
  readonly set: Record<string, string>;
  readonly offered: readonly (readonly [string, string])[];
} {
  const set: Record<string, string> = {};
  const offered: (readonly [string, string])[] = [];
  for (const line of readFileSync('deploy/lookout.env.example', 'utf8').split('\n')) {
    if (line === '' || line.startsWith('# ')) continue;
    const [, name = '', value = ''] = ENV_LINE.exec(line.replace(/^#/, '')) ?? [];
    expect(name, line).not.toBe('');
    if (line.startsWith('#')) offered.push([name, value]);
    else set[name] = value;
  }
  return { set, offered };
}

/** As Lookout reads them at its start, with the file of the key in a place of this test. */
function problems(settings: Readonly<Record<string, string>>): readonly string[] {
  const key = join(mkdtempSync(join(tmpdir(), 'lookout-env-')), 'key');
  writeFileSync(key, 'key-of-a-test');
  const environment = { ...settings, POSITIONS_API_KEY_FILE: key } as unknown as NodeJS.ProcessEnv;
  const result = readConfig(environment);
  return result.ok ? [] : result.problems;
}

test('lookout.env.example passes the check of the settings, and each line that it offers does too', () => {
  const { set, offered } = examples();
  expect(set.POSITIONS_API_KEY_FILE).toBe('/etc/lookout/key');
  expect(problems(set)).toEqual([]);
  expect(offered.length).toBeGreaterThan(3);
  for (const [name, value] of offered) {
    expect(settingsSchema.shape).toHaveProperty(name);
    expect(problems({ ...set, [name]: value }), name).toEqual([]);
  }
});

test.each(COMPOSE_FILES)(
  'the servers of %s start with the settings of the example, and each has its own data and the key',
  (file) => {
    const servers = Object.entries(servicesOf(file)).filter(([name]) => name.startsWith('lookout'));
    expect(servers).toHaveLength(file === 'compose.yaml' ? 1 : 3);
    const image = { HOST: '0.0.0.0', DATA_DIR: '/data' };
    for (const [name, { environment, env_file, volumes }] of servers) {
      for (const setting of Object.keys(environment)) expect(settingsSchema.shape).toHaveProperty(setting);
      const password = environment.DATABASE_PASSWORD_FILE;
      if (file === 'compose-servers.yaml') {
        expect(environment.SERVER_NAME).toBe(name);
        expect(volumes).toContain(`./secrets/database-password:${password}:ro`);
      }
      const readable = password === undefined ? {} : { DATABASE_PASSWORD_FILE: resolve('package.json') };
      expect(problems({ ...image, ...examples().set, ...environment, ...readable })).toEqual([]);
      expect(env_file).toBe('secrets/lookout.env');
      expect(volumes).toContain(`${name.replace('lookout', 'data')}:/data`);
      expect(volumes).toContain(`./secrets/key:${examples().set.POSITIONS_API_KEY_FILE}:ro`);
    }
  },
);

test('Traefik passes everything but the addresses for operations, and every answer as it is made', () => {
  const { http } = z
    .object({
      http: z.strictObject({
        routers: z.object({ lookout: z.looseObject({ rule: z.string(), service: z.literal('lookout') }) }),
        services: z.strictObject({
          lookout: z.strictObject({
            loadBalancer: z.strictObject({ servers: z.array(z.strictObject({ url: z.url() })) }),
          }),
        }),
      }),
    })
    .parse(parse(readFileSync('deploy/traefik.yml', 'utf8')));
  const { rule } = http.routers.lookout;
  expect(rule).toContain('Host(`lookout.example`)');
  for (const path of ['/metrics', '/readyz']) expect(rule).toContain(`!Path(\`${path}\`)`);
});
