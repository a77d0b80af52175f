import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { DOCTOR_CHECKS, doctorAnswerSchema, type Finding } from '#lib/api/operation/doctor-answer.ts';
import { lockDataDir } from '#lib/server/database/data-dir.ts';
import { doctorProof } from '#lib/server/doctor/doctor.ts';
import { ask } from '#testing/api-requests.ts';
import { freePort } from '#testing/free-port.ts';
import { type LookoutHereSetting, startLookoutHere } from '#testing/lookout-here.ts';
import { withDatabase } from './setup/with-database.ts';

let uid: number | undefined;
async function doctor(settings: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = spawn(process.execPath, ['--conditions=react-server', 'scripts/doctor.ts', ...args], {
    env: { NODE_ENV: 'production', PATH: process.env.PATH, ...settings } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const [out, error, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { out, error, status };
}

async function findings(settings: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const { out, status, error } = await doctor(settings, '--json', ...args);
  const { findings: all } = doctorAnswerSchema.parse(JSON.parse(out));
  const of = (check: Finding['check']) =>
    all.filter((each) => each.check === check).map(({ state, found }) => `${state}: ${found}`);
  return { of, all, status, error, out };
}

/** Names, modes, times and contents. */
function stateOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const { mode, mtimeMs, size } = statSync(path);
      const content = statSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
      return `${path} ${mode} ${mtimeMs} ${size} ${content}`;
    })
    .join('\n');
}

test('Over a Lookout that has stopped, each check says something, and nothing is changed', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lookout-doctor-'));
  await withDatabase({ NODE_ENV: 'test', DATA_DIR: dataDir }, async () => undefined);
  const before = stateOf(dataDir);
  const port = String(await freePort());
  const { all, of, status, error } = await findings({ DATA_DIR: dataDir, PORT: port });
  expect([error, status]).toEqual(['', 0]);
  expect([...new Set(all.map(({ check }) => check))]).toEqual([...DOCTOR_CHECKS]);
  expect(of('schema')).toEqual([expect.stringMatching(/^ok: 00/)]);
  expect(of('server')).toEqual([`ok: Lookout does not run; port ${port} is free`]);
  expect(stateOf(dataDir)).toBe(before);
});

const setting: LookoutHereSetting = { operators: ['ada'], roles: { ada: 'admin' } };
const SECRET = 'MARKED-secret-7d1f0c2e9a';

test('While Lookout runs with sign-in, the command learns by its address what it sees of requests', async () => {
  const port = String(await freePort());
  const settings = { PORT: port, SESSION_SECRET: SECRET.repeat(2), PUBLIC_URL: `http://127.0.0.1:${port}` };
  const lookout = await startLookoutHere({ ...setting, settings, isClockHeld: true });
  onTestFinished(() => lookout.stop());
  const of = {
    ...settings,
    DATA_DIR: lookout.dataDir,
    POSITIONS_API_URL: lookout.service.baseUrl,
    POSITIONS_API_KEY: lookout.service.apiKey,
  };
  // Reading its files here would release the locks of this process.
  const before = readdirSync(lookout.dataDir, { recursive: true });
  const well = await findings(of);
  expect(well.of('server')).toEqual([expect.stringMatching(/^ok: Lookout answers at .*ready/)]);
  expect(well.of('proxy')).toEqual([
    expect.stringMatching(/^ok: Lookout sees 127\.0\.0\.1, without a proxy, and Host/),
  ]);
  // Lookout itself has sent none yet.
  expect(well.of('upstream')).toEqual([
    expect.stringMatching(/^ok: 127\.0\.0\.1:\d+ answers, \d+ requests left today/),
  ]);
  expect(well.error).toMatch(/^Sends one request to 127\.0\.0\.1:\d+, which counts/);
  expect(well.of('backup')).toEqual(['wrong: No backup is known']);
  expect(well.status).toBe(1);
  expect(well.of('versions')).toEqual([expect.stringMatching(/^ok: /)]);
  expect(readdirSync(lookout.dataDir, { recursive: true })).toEqual(before);

  lookout.service.forgetRequests();
  const { of: found } = await findings(of, '--no-request');
  expect(found('upstream')).toEqual([expect.stringMatching(/^unknown: .* no request was sent/)]);
  expect(lookout.service.requests()).toEqual([]);

  await ask(`${lookout.url}/api/live?bbox=5,45,11,48&layers=adsb`, {
    headers: { cookie: await lookout.signIn('ada') },
  });
  await expect.poll(() => lookout.service.requests().length).toBeGreaterThan(0);
  lookout.moveClock(11_000);
  const later = await findings(of);
  expect([later.error, later.of('upstream')]).toEqual([
    '',
    [expect.stringMatching(/^ok: 127.* answers, \d+ requests left/)],
  ]);

  const strange = await findings({ ...of, SESSION_SECRET: 'of-another-Lookout'.repeat(2) }, '--no-request');
  expect(strange.of('server')).toEqual([expect.stringMatching(/^wrong: Lookout runs, and .* answers 401, and not as/)]);
});

test('Versions is wrong where a Lookout of other files runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-doctor-'));
  const lock = lockDataDir(folder);
  const found = { check: 'versions', state: 'ok', found: 'Lookout 0.1.0, Node 24.0.0', remedy: null };
  const answer = JSON.stringify({ as_of: new Date().toISOString(), findings: [found] });
  const older = createHttpServer((_, response) => response.end(answer)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    older.close();
    lock.release();
  });
  await once(older, 'listening');
  const { port } = older.address() as AddressInfo;
  const { of } = await findings({ DATA_DIR: folder, PORT: String(port) });
  expect(of('versions')).toEqual([
    expect.stringMatching(/^wrong: Lookout 0\.1\.0, Node 24\.0\.0 runs, and these files are Lookout \d/),
  ]);
});

test('Without PUBLIC_URL, the command does not blame a proxy that its request has not passed', async () => {
  const settings = { PORT: String(await freePort()), SESSION_SECRET: SECRET.repeat(2), TRUSTED_PROXIES: 'loopback' };
  const lookout = await startLookoutHere({ ...setting, settings });
  onTestFinished(() => lookout.stop());
  const { baseUrl: POSITIONS_API_URL, apiKey: POSITIONS_API_KEY } = lookout.service;
  const upstream = { POSITIONS_API_URL, POSITIONS_API_KEY };
  const { of } = await findings({ ...settings, ...upstream, DATA_DIR: lookout.dataDir }, '--no-request');
  expect(of('server')).toEqual([expect.stringMatching(/^ok: /)]);
  expect(of('proxy')).toEqual([expect.stringMatching(/^unknown: PUBLIC_URL is not set/)]);
});

test('The command is known where operators alone make sign-in needed, as over the simulator', async () => {
  const PORT = String(await freePort());
  const lookout = await startLookoutHere({ ...setting, settings: { PORT } });
  onTestFinished(() => lookout.stop());
  const { of } = await findings({ PORT, DATA_DIR: lookout.dataDir }, '--no-request');
  expect(of('server')).toEqual([expect.stringMatching(/^ok: /)]);
});

test('Admins and a command with a fresh proof learn the same, and what their request shows', async () => {
  const lookout = await startLookoutHere({ ...setting, settings: { SESSION_SECRET: SECRET.repeat(2) } });
  onTestFinished(() => lookout.stop());
  const send = (headers: Readonly<Record<string, string>>, path = '/api/admin/doctor') =>
    ask(`${lookout.url}${path}`, { headers });
  const admin = { cookie: await lookout.signIn('ada') };
  const first = await send(admin);
  const { findings: said } = doctorAnswerSchema.parse(first.json());
  expect([...new Set(said.map(({ check }) => check))].sort()).toEqual(DOCTOR_CHECKS.toSorted());
  expect(said).toContainEqual(expect.objectContaining({ check: 'upstream', state: 'unknown' }));
  const proxied = await send({ ...admin, 'x-forwarded-for': '192.0.2.7', 'x-lookout-seen': '{}' });
  expect(proxied.text).toContain('127.0.0.1 sends X-Forwarded-For and is not trusted');
  expect(lookout.service.requests()).toEqual([]);

  const proof = (secret: string, atMs: number) => ({ authorization: doctorProof(secret, atMs) });
  const now = Date.now();
  const fresh = proof(SECRET.repeat(2), now);
  expect((await send(fresh)).json().findings).toHaveLength(said.length);
  expect((await send(fresh, '/api/account')).status).toBe(401);
  for (const stale of [
    proof(SECRET.repeat(2), now - 3_600_000),
    proof('guessed', now),
    { authorization: proof(SECRET.repeat(2), now - 3_600_000).authorization.replace(/\d{13}/, String(now)) },
    { authorization: 'Lookout-Doctor 1.' },
    {},
  ])
    expect((await send(stale)).status).toBe(401);
});

test('A setting that a start refuses is a line with what to write, and no secret is printed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-doctor-'));
  writeFileSync(join(folder, 'token'), `${SECRET}-token-of-the-metrics`);
  writeFileSync(join(folder, 'password'), SECRET);
  const secrets = {
    DATA_DIR: folder,
    POSITIONS_API_URL: `http://user:${SECRET}@127.0.0.1:1/v1`,
    POSITIONS_API_KEY: SECRET,
    SESSION_SECRET: SECRET.repeat(2),
    DATABASE_URL: `postgres://lookout:${SECRET}@127.0.0.1:1/lookout?sslmode=disable`,
    METRICS_TOKEN_FILE: join(folder, 'token'),
  };
  const refused = await findings({ ...secrets, HOST: '0.0.0.0' });
  expect(refused.status).toBe(1);
  expect(refused.of('settings')).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^wrong: HOST 0\.0\.0\.0 can be reached.*ALLOW_PLAIN_HTTP=1/),
      expect.stringMatching(/^wrong: POSITIONS_API_URL must be an address alone/),
    ]),
  );
  expect([refused.of('settings').at(-1), refused.of('disk')]).toEqual([
    'unknown: The rest is examined once these are right',
    [],
  ]);
  const accepted = await findings({ ...secrets, POSITIONS_API_URL: 'http://127.0.0.1:1/v1' });
  expect(accepted.of('database')).toEqual([expect.stringMatching(/^wrong: .*cannot be reached/)]);
  for (const { out, error } of [refused, accepted]) expect(out + error).not.toContain(SECRET);
});

test.skipIf(process.getuid?.() !== 0)(
  'As a user who may not enter DATA_DIR, it says nothing good of what is inside',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-doctor-'));
    await withDatabase({ NODE_ENV: 'test', DATA_DIR: folder }, async () => undefined);
    uid = 65_534;
    onTestFinished(() => {
      uid = undefined;
    });
    const { of, error } = await findings({ DATA_DIR: folder, PORT: String(await freePort()) });
    expect(of('folder')).toEqual([expect.stringMatching(/^wrong: .* belongs to user 0, and this runs as user 65534/)]);
    expect(of('disk')).toEqual([expect.stringMatching(/^ok: /)]);
    for (const check of ['database', 'schema', 'backup'] as const)
      expect(of(check)).toEqual(['unknown: This user may not enter DATA_DIR']);
    expect(error).toBe('');
  },
);

test('Over an upstream, a database and a proxy that accept connections and hang, every line says which', async () => {
  const hanging = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => void hanging.close());
  await once(hanging, 'listening');
  const { port } = hanging.address() as AddressInfo;
  const { of } = await findings({
    DATA_DIR: mkdtempSync(join(tmpdir(), 'lookout-doctor-')),
    PORT: String(await freePort()),
    POSITIONS_API_URL: `http://127.0.0.1:${port}/v1`,
    POSITIONS_API_KEY: 'key',
    DATABASE_URL: `postgres://lookout@127.0.0.1:${port}/lookout?sslmode=disable`,
    PUBLIC_URL: `https://localhost:${port}`,
  });
  expect(of('upstream')).toEqual([`wrong: 127.0.0.1:${port} does not answer`]);
  expect(of('database')).toEqual([expect.stringMatching(/^wrong: .* cannot be reached/)]);
  expect(of('schema')).toEqual(['unknown: The database cannot be read']);
  expect(of('certificate')).toEqual([expect.stringMatching(/^wrong: .* cannot be reached .*\(no answer\)$/)]);
  expect(of('clock')).toEqual([expect.stringMatching(/^unknown: There is no other clock/)]);
});

test('Its lines name the check and the correction, and it knows its options', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-doctor-'));
  writeFileSync(join(folder, 'settings.env'), `DATA_DIR=${folder}\nHOST=0.0.0.0\n`);
  const { out, status } = await doctor({}, '--settings', join(folder, 'settings.env'));
  expect(status).toBe(1);
  expect(out).toMatch(/^WRONG Settings {5}HOST 0\.0\.0\.0 can be reached/m);
  expect(out).toMatch(/^1 thing to correct, \d+ not known\.$/m);
  expect((await doctor({}, '--help')).out).toContain('npm run doctor');
  expect((await doctor({}, '--heal')).status).toBe(1);
});
