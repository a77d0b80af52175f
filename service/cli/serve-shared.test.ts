import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_REMAINING_HEADER } from '#lib/contract/operation.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { type Cluster, postgresPrograms, startCluster } from '../postgres/postgres-cluster.fixture.ts';
import type { PostgresTarget } from '../postgres/postgres-target.ts';
import { runCommand } from './run-command.ts';
import { endProcesses, run } from './service-process.fixture.ts';

/** PostgreSQL's answer to the question for TLS in front of its socket; with a certificate TLS follows. */
async function listenInFrontOf({ host, port }: PostgresTarget, certificate: { key: Buffer; cert: Buffer } | undefined) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(certificate ? 'S' : 'N');
      if (certificate === undefined) return;
      const sealed = new TLSSocket(socket, { isServer: true, ...certificate });
      const database = connect(join(host, `.s.PGSQL.${port}`));
      for (const each of [sealed, database]) each.on('error', () => undefined);
      sealed.pipe(database).pipe(sealed);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

const programs = postgresPrograms();
const TIMEOUT_MS = 60_000;

describe.skipIf(programs === undefined)('services that share a PostgreSQL', { timeout: TIMEOUT_MS }, () => {
  let cluster: Cluster | undefined;
  let folder: string;
  let target: PostgresTarget;
  beforeAll(() => {
    cluster = startCluster(programs as string);
  }, TIMEOUT_MS);
  afterAll(() => cluster?.remove());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'serve-shared-'));
    target = (cluster as Cluster).target();
  });
  afterEach(() => {
    endProcesses();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  const store = ({ host, database, user } = target) => `postgres:///${database}?host=${host}&user=${user}`;

  async function command(...words: readonly string[]): Promise<Record<string, unknown>> {
    const result = await runCommand([...words, '--store', store(), '--json'], upstreamInstant(Date.now()));
    if (!result?.ok) throw new Error(result?.problems.join('\n') ?? 'no such command');
    return JSON.parse(result.output);
  }

  async function makeKey(allowance: string): Promise<string> {
    await command('account', 'add', 'A', '--allowance', allowance);
    await command('grant', 'approve', '--account', 'A', '--scopes', 'adsb.live');
    return (await command('key', 'create', '--account', 'A', '--name', 'N')).api_key as string;
  }

  const serve = (dataDir: string, ...others: readonly string[]) =>
    run(['serve', '--port', '0', '--tracks', '5,0', '--data', join(folder, dataDir), '--store', store(), ...others]);

  /** Two services on machines of their own, with the same secret. */
  async function serveTwo() {
    const one = serve('one');
    const oneUrl = (await one.ready).base_url;
    mkdirSync(join(folder, 'two'));
    copyFileSync(join(folder, 'one', 'reference-secret'), join(folder, 'two', 'reference-secret'));
    const two = serve('two');
    return { one, two, urls: [oneUrl, (await two.ready).base_url] as const };
  }

  async function ask(baseUrl: string, key: string) {
    const answer = await fetch(`${baseUrl}/live/adsb?bbox=5,45,10,50`, {
      headers: { authorization: `Bearer ${key}` },
    });
    // biome-ignore lint/suspicious/noExplicitAny: of any status.
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
  }

  test('keys, allowances and references are the same on both, and a revoked key is refused by both at once', async () => {
    const key = await makeKey('5,100');
    const { urls } = await serveTwo();
    const answers = [];
    for (let count = 0; count < 4; count += 1) answers.push(await ask(urls[count % 2] as string, key));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(({ headers }) => headers.get(DAY_REMAINING_HEADER))).toEqual(['99', '98', '97', '96']);
    const references = answers.map(({ body }) => body.data.map((each: Record<string, string>) => each.track_reference));
    expect(references[1]).toEqual(references[0]);
    await command('key', 'revoke', '--account', 'A', '--name', 'N');
    expect([(await ask(urls[0], key)).status, (await ask(urls[1], key)).status]).toEqual([401, 401]);
  });

  test('without the database nothing is answered but 503; when it is back, so are the answers', async () => {
    const key = await makeKey('600,1000');
    const { one, two, urls } = await serveTwo();
    (cluster as Cluster).stop();
    for (const url of [...urls, ...urls]) {
      const { status, body } = await ask(url, key);
      expect(status).toBe(503);
      expect(body.error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('try again later') });
    }
    (cluster as Cluster).start();
    expect([(await ask(urls[0], key)).status, (await ask(urls[1], key)).status]).toEqual([200, 200]);
    for (const { child, ended } of [one, two]) {
      child.kill('SIGTERM');
      const { code, stderr } = await ended;
      expect(code).toBe(0);
      expect(stderr.match(/^PostgreSQL at .* cannot be reached/gm)).toHaveLength(1);
      expect(stderr.match(/is back/g)).toHaveLength(1);
    }
  });

  test('a transaction that is open when the database is lost fails, and nothing else', async () => {
    const postgres = await openPostgres(target, { makes: true, log: () => undefined });
    const open = postgres.within('begin', async (query) => {
      const { pid } = (await query<{ pid: number }>('select pg_backend_pid() as pid'))[0] as { pid: number };
      (cluster as Cluster).sql(`select pg_terminate_backend(${pid}, 10000)`);
      // No query is under way when the connection ends.
      await expect.poll(() => query('select 1').then(String, String)).toContain('not queryable');
      return query('select 1');
    });
    await expect(open).rejects.toThrow('Start it, or correct --store');
    expect(await postgres.query('select 1 as one')).toEqual([{ one: 1 }]);
    await postgres.close();
  });

  test('a service with another secret is refused, and told what to copy', async () => {
    const one = serve('one');
    await one.ready;
    const { code, stderr } = await serve('other').ended;
    expect(code).toBe(1);
    expect(stderr).toContain('copy reference-secret from the --data of one of them');
  });

  test('over TLS the server proves its name, and what it cannot prove is said', async () => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
    const subject = ['-subj', '/CN=database', '-addext', 'subjectAltName=IP:127.0.0.1'];
    execFileSync('openssl', [...made, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    const sealed = await listenInFrontOf(target, { key: readFileSync(key), cert: readFileSync(certificate) });
    const plain = await listenInFrontOf(target, undefined);
    const open = async (host: string, port: number, rootCertFile?: string) => {
      const remote = { ...target, host, port, tls: 'verify', rootCertFile } as const;
      await (await openPostgres(remote, { makes: true, log: () => undefined })).close();
    };
    await open('127.0.0.1', sealed.port, certificate);
    await expect(open('127.0.0.1', sealed.port)).rejects.toThrow('Write sslrootcert=FILE of its authority');
    await expect(open('localhost', sealed.port, certificate)).rejects.toThrow('the name that it is made out to');
    await expect(open('127.0.0.1', plain.port, certificate)).rejects.toThrow('speaks no TLS: turn ssl on there');
    await expect(open('127.0.0.1', sealed.port, join(folder, 'none'))).rejects.toThrow('cannot be read');
    for (const { server } of [sealed, plain]) server.close();
  });

  test('a command says what is wrong with the database, and what to do', async () => {
    const refusal = async (asked: PostgresTarget, ...words: readonly string[]) => {
      const line = words.length > 0 ? words : ['account', 'list'];
      const result = await runCommand([...line, '--store', store(asked)], upstreamInstant(Date.now()));
      return result?.ok === false ? `${result.exitCode}: ${result.problems.join()}` : 'not refused';
    };
    const { sql, allow } = cluster as Cluster;
    sql("create role locked login password 'right'");
    allow('local all locked scram-sha-256');
    const file = join(folder, 'pgpass');
    vi.stubEnv('PGPASSFILE', file);
    const password = (text: string) => writeFileSync(file, `*:*:*:locked:${text}\n`, { mode: 0o600 });
    const locked = { ...target, user: 'locked' };
    expect(await refusal(target)).toMatch(/^1: There are no accounts in PostgreSQL at .*account add/);
    expect(await refusal({ ...target, host: folder })).toMatch(/^1: .*cannot be reached.*Start it, or correct --store/);
    expect(await refusal({ ...target, database: 'none' })).toContain('createdb --owner admin none');
    expect(await refusal({ ...target, user: 'nobody' })).toContain('does not let nobody in');
    expect(await refusal(locked)).toContain('asks for a password: write HOST:PORT:DATABASE:USER:PASSWORD to ~/.pgpass');
    password('wrong');
    expect(await refusal(locked)).toContain('refuses the password of locked');
    password('right');
    expect(await refusal(locked)).toContain('There are no accounts');
    chmodSync(file, 0o644);
    expect(await refusal(locked)).toContain(`chmod 600 ${file}`);
    chmodSync(file, 0o600);
    const adding = await refusal(locked, 'account', 'add', 'A', '--allowance', '1,2');
    expect(adding).toContain('Make locked the owner of the database');
  });
});
