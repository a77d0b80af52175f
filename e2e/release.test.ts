import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMovingAircraft } from '#service/receivers/moving-aircraft.fixture.ts';
import { type Answer, ask, sessionCookie } from '#testing/api-requests.ts';
import { isLong } from '#testing/budget.ts';
import { eventually } from '#testing/eventually.ts';
import { freePort } from '#testing/free-port.ts';
import { ROOT } from './running/child-process.ts';

/** Owns nothing of the release. */
const OTHER_UID = 65_534;
const isRoot = process.getuid?.() === 0;
const asAnother = isRoot ? ['setpriv', `--reuid=${OTHER_UID}`, `--regid=${OTHER_UID}`, '--clear-groups'] : [];

function run(folder: string, command: readonly string[], settings: Readonly<Record<string, string>>, input?: string) {
  const [program = '', ...args] = [...asAnother, ...command];
  return spawnSync(program, args, { cwd: folder, env: settings as NodeJS.ProcessEnv, input, encoding: 'utf8' });
}

const MARK = `marked-${randomBytes(16).toString('hex')}`;
/** Documented places of secrets, and every folder that a release copies from. */
const SECRETS = [
  ...['key', 'metrics-token', 'client-secret', 'club-password', 'feeds.json', '.env', 'lookout.env'],
  ...['deploy/secrets/key', 'deploy/secrets/lookout.env', 'deploy/secrets/lookout.key', 'deploy/secrets/lookout.crt'],
  ...['deploy/key', 'deploy/lookout.env', 'deploy/lookout.key', 'deploy/lookout.crt', 'deploy/notes.txt'],
  ...[
    'docs/key',
    'ops/key',
    'public/key',
    'public/backup.tar',
    '.places/key',
    'data/release-test-secret',
    '.next/standalone/.env',
  ],
];

function placeSecrets(): { remove(): void } {
  const made = SECRETS.map((name) => join(ROOT, name)).filter((file) => !existsSync(file));
  const folders = [...new Set(made.map((file) => dirname(file)))].filter((folder) => !existsSync(folder));
  for (const file of made) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, MARK, { flag: 'wx' });
  }
  return {
    remove() {
      for (const file of made) rmSync(file);
      for (const folder of folders) rmdirSync(folder);
    },
  };
}

function markedFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file).includes(MARK));
}

/** They would break once the folder is moved. */
function linksOutOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ parentPath, name }) => join(parentPath, name));
  return links.filter((link) => {
    const target = readlinkSync(link);
    return isAbsolute(target) || !resolve(dirname(link), target).startsWith(`${folder}/`);
  });
}

function childrenOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
}

/** With an account that may read everything. */
async function startServiceAlone(release: string, data: string) {
  const command = (...args: readonly string[]) => {
    const { stdout, stderr } = run('/', [join(release, 'service'), ...args, '--data', data, '--json'], {});
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Readonly<Record<string, string>>;
  };
  const scopes = 'adsb.live,rid.live,adsb.history,rid.history';
  command('account', 'add', 'Lookout', '--allowance', '600,200000');
  command('grant', 'approve', '--account', 'Lookout', '--scopes', scopes, '--lookback', '7');
  const { api_key: apiKey = '' } = command('key', 'create', '--account', 'Lookout', '--name', 'test');
  const [program = '', ...args] = [...asAnother, join(release, 'service'), 'serve', '--port', '0', '--data', data];
  const child = spawn(program, args, { cwd: '/', env: {} as NodeJS.ProcessEnv, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  return {
    baseUrl: JSON.parse(line).base_url as string,
    apiKey,
    async stop() {
      child.kill('SIGTERM');
      expect((await once(child, 'exit'))[0]).toBe(0);
    },
  };
}

/** Files below a folder, by their paths from there. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}

/** @returns what it prints */
function releaseFrom(root: string, folder: string, ...options: readonly string[]): string {
  const command = ['--conditions=react-server', 'scripts/release.ts', folder, ...options];
  // A build of the owner has no environment of tests.
  const { NODE_ENV: _, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: root,
    env: env as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

/** A command of docs/verify.md, as a reader copies it. */
function verifyCommand(name: string): string {
  const document = readFileSync(join(ROOT, 'docs/verify.md'), 'utf8');
  const [, block = ''] = new RegExp(`<!-- verify ${name} -->\\n\\n((?: {4}.*\\n)+)`).exec(document) ?? [];
  return block.replaceAll(/^ {4}/gm, '');
}

const CREDENTIALS = { name: 'alice', password: 'quiet-harbour-lantern-82' };

describe('A release, without npm, packages and network, as a user who may write to DATA_DIR alone', () => {
  let base: string;
  let release: string;
  let folders: Readonly<Record<'data' | 'restored' | 'received' | 'served', string>>;
  let service: Awaited<ReturnType<typeof startServiceAlone>>;
  let settings: Readonly<Record<string, string>>;
  let url: string;
  let cookie: string;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'lookout-release-'));
    chmodSync(base, 0o755);
    release = join(base, 'lookout');
    const secrets = placeSecrets();
    try {
      const key = join(base, 'owner');
      spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
      const made = releaseFrom(ROOT, release, '--pack', join(base, 'packed'), '--key', key);
      expect(made).toContain('The release is in');
    } finally {
      secrets.remove();
    }
    const made = ['data', 'restored', 'received', 'served'].map((name) => {
      const folder = join(base, name);
      mkdirSync(folder, { mode: 0o700 });
      if (isRoot) chownSync(folder, OTHER_UID, OTHER_UID);
      return [name, folder];
    });
    folders = Object.fromEntries(made);
    service = await startServiceAlone(release, folders.served);
    stops.push(() => service.stop());
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    settings = {
      POSITIONS_API_URL: service.baseUrl,
      POSITIONS_API_KEY: service.apiKey,
      DATA_DIR: folders.data,
      PORT: String(port),
      LOG_LEVEL: 'warn',
    };
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    rmSync(base, { recursive: true });
  });

  const start = async (changed: Readonly<Record<string, string>> = {}) => {
    const [program = '', ...args] = [...asAnother, join(release, 'lookout')];
    const child = spawn(program, args, {
      cwd: '/',
      env: { ...settings, ...changed } as unknown as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually(() =>
      expect(child.exitCode === null ? output : `ended: ${output}`).toContain(`Lookout is at ${url}`),
    );
    return {
      pid: child.pid as number,
      output: () => output,
      async stop() {
        child.kill('SIGTERM');
        const [code] = await once(child, 'exit');
        return code as number;
      },
    };
  };
  const send = (method: string, path: string, body?: object): Promise<Answer> =>
    ask(`${url}${path}`, { method, headers: { 'sec-fetch-site': 'same-origin', cookie }, body });
  let app: Awaited<ReturnType<typeof start>>;

  test('has no secret, no link that leads out, and every file of deploy', () => {
    expect(markedFiles(release), 'secrets in the release').toEqual([]);
    const deployed = spawnSync('git', ['ls-files', '--', 'deploy'], { cwd: ROOT, encoding: 'utf8' }).stdout.trim();
    expect(readdirSync(join(release, 'deploy')).map((name) => `deploy/${name}`)).toEqual(deployed.split('\n'));
    expect(linksOutOf(release), 'links that lead out of the release').toEqual([]);
  });

  test('is verified by a stranger with the commands of docs/verify.md', () => {
    const packed = join(base, 'packed');
    const verify = (name: string) =>
      spawnSync('bash', ['-ec', verifyCommand(name)], {
        cwd: packed,
        encoding: 'utf8',
        env: { ...process.env, NODE_PATH: join(ROOT, 'node_modules') },
      });
    const signers = (line: string) =>
      writeFileSync(join(packed, 'release-signers'), readFileSync(join(ROOT, 'release-signers'), 'utf8') + line);
    signers('');
    expect(verify('signature').status, 'before the owner has a key').not.toBe(0);
    signers(`lookout-release namespaces="lookout-release" ${readFileSync(join(base, 'owner.pub'), 'utf8')}`);
    expect(verify('signature')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Good "lookout-release"/) });
    expect(verify('digests')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^(lookout-.*: OK\n){2}$/) });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(verify('unpack')).toMatchObject({ status: 0, stdout: `Lookout ${version}\n` });
    expect(verify('sbom')).toMatchObject({ status: 0, stdout: 'valid\n', stderr: '' });
    const sbom = readdirSync(packed).find((file) => file.endsWith('.cdx.json')) ?? '';
    writeFileSync(join(packed, sbom), readFileSync(join(packed, sbom), 'utf8').replace('"CycloneDX"', '"Cyclone"'));
    expect(verify('sbom').status).toBe(1);
    expect(verify('digests').status).toBe(1);
    expect(markedFiles(packed), 'secrets in what is published').toEqual([]);
  });

  test.runIf(isLong)('a build of the same sources in another folder makes the same archive', () => {
    const other = join(base, 'elsewhere/of another length');
    mkdirSync(other, { recursive: true });
    spawnSync('git', ['checkout-index', '--all', `--prefix=${other}/`], { cwd: ROOT });
    spawnSync('cp', ['-al', join(ROOT, 'node_modules'), other]);
    const sums = (root: string, name: string) => {
      const at = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }).stdout.trim();
      process.env.SOURCE_DATE_EPOCH = at;
      releaseFrom(root, join(base, name), '--pack', join(base, `${name}-packed`));
      return readFileSync(join(base, `${name}-packed`, 'SHA256SUMS'), 'utf8');
    };
    expect(sums(other, 'again')).toBe(sums(ROOT, 'once'));
  });

  test('lists what it is made of', () => {
    const { components } = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8'));
    const names = components.map(({ name }: { name: string }) => name);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    expect(names).not.toContain('vitest');
    // Native code that nothing calls.
    expect(names.filter((name: string) => /^sharp$|^(@img\/)?sharp/.test(name))).toEqual([]);
    expect(readdirSync(join(release, 'node_modules')).filter((name) => /^(sharp|@img)$/.test(name))).toEqual([]);
  });

  test('each of its commands names the version', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const { scripts } = JSON.parse(readFileSync(join(release, 'package.json'), 'utf8'));
    for (const command of Object.values<string>(scripts))
      expect(run(base, [join(release, command.replace('exec ', '')), '--version'], {}).stdout).toBe(
        `Lookout ${version}\n`,
      );
    expect(readFileSync(join(release, 'CHANGELOG.md'), 'utf8')).toContain(`## [${version}]`);
  });

  test('a start without operators names the command of the release, which adds one', () => {
    const refused = run(base, [join(release, 'lookout')], settings);
    expect(refused.stderr).toContain(`Add the first: DATA_DIR=${folders.data} ./operator add NAME --role admin;`);
    const added = run(
      base,
      [join(release, 'operator'), 'add', 'alice', '--password-stdin'],
      settings,
      `${CREDENTIALS.password}\n`,
    );
    expect(added.stderr + added.stdout).toContain('alice');
    expect(added.status).toBe(0);
  });

  test('is ready, signs in, serves pages with all of their files, and positions of its own service, in one process', async () => {
    app = await start();
    stops.push(app.stop);
    await eventually(async () => expect((await ask(`${url}/readyz`)).status).toBe(200));
    cookie = '';
    const session = await send('POST', '/api/session', CREDENTIALS);
    expect(session.status).toBe(204);
    cookie = sessionCookie(session);
    await eventually(async () => {
      const answer = await send('GET', '/api/live?bbox=7,46,9,48&layers=adsb');
      expect(answer.json().layers.adsb.state).toBe('fresh');
    });
    expect((await send('GET', '/api/places?q=zurich')).status).toBe(200);
    const page = await ask(`${url}/sign-in`);
    expect(page.text).toContain('Sign in to see received positions.');
    // Pages also load files that they do not name.
    const built = filesBelow(join(ROOT, '.next/static'));
    expect(new Set(filesBelow(join(release, '.next/static')))).toEqual(new Set(built));
    const named = [...page.text.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(3);
    for (const path of named) {
      const served = (await ask(`${url}${path}`)).body;
      expect(served.equals(readFileSync(join(ROOT, decodeURI(path).replace('/_next', '.next')))), path).toBe(true);
    }
    expect(readFileSync(`/proc/${app.pid}/task/${app.pid}/children`, 'utf8')).toBe('');
    if (isRoot) expect(statSync(`/proc/${app.pid}`).uid).toBe(OTHER_UID);
  });

  test('its data is copied while it runs, and restored into an empty folder', async () => {
    const view = { name: 'Harbour', query: '?view=46.9,8.2,8', shared: false };
    expect((await send('POST', '/api/views', view)).status).toBe(201);
    const copy = join(folders.restored, 'backup');
    const copied = run(base, [join(release, 'backup'), copy], settings);
    expect(copied.stderr).toBe('');
    expect(readdirSync(copy).sort()).toEqual(['lookout.sqlite', 'manifest.json']);
    expect(run(base, [join(release, 'backup'), '--verify', copy], settings).status).toBe(0);
    const restore = [join(release, 'restore'), '--set-aside', copy];
    expect(run(base, restore, settings).stderr).toContain('Another Lookout uses DATA_DIR');
    expect(await app.stop()).toBe(0);
    stops.pop();
    const target = { ...settings, DATA_DIR: join(folders.restored, 'data') };
    expect(run(base, restore, target)).toMatchObject({ status: 0, stderr: '' });
    app = await start(target);
    stops.push(app.stop);
    // The session survives the restore.
    expect((await send('GET', '/api/views')).json()).toMatchObject({ views: [view] });
  });

  test('with own receivers, a process of the same program receives; it ends with Lookout, also when that is killed', async () => {
    await stops.pop()?.();
    const receiver = await startMovingAircraft({ count: 5 });
    stops.push(() => receiver.close());
    const { received } = folders;
    const own = { POSITIONS_API_URL: '', POSITIONS_API_KEY: '', RECEIVERS: receiver.url, DATA_DIR: received };
    const receiving = await start(own);
    stops.push(receiving.stop);
    const records = async () => {
      const answer = await ask(`${url}/api/live?bbox=7,46,19,50&layers=adsb`);
      return answer.json().layers.adsb.records;
    };
    await eventually(async () => expect(await records()).toHaveLength(5));
    expect((await records()).map(({ simulated }: { simulated: boolean }) => simulated)).toEqual(Array(5).fill(false));
    const feeds = join(received, 'receivers');
    expect(receiving.output()).toContain(`their state: ./service feeds --data ${feeds}`);
    expect(run(base, [join(release, 'service'), 'feeds', '--data', feeds], {}).stdout).toContain(' receiving ');
    const [child] = childrenOf(receiving.pid);
    expect(readlinkSync(`/proc/${child}/exe`)).toBe(readlinkSync(`/proc/${receiving.pid}/exe`));
    if (isRoot) expect(statSync(`/proc/${child}`).uid).toBe(OTHER_UID);
    process.kill(receiving.pid, 'SIGKILL');
    await eventually(() => expect(existsSync(`/proc/${child}`)).toBe(false));
    stops.pop();
  });
});
