import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '#testing/free-port.ts';
import { writeNginxSite } from '#testing/nginx-site.ts';
import { selfSigned } from '#testing/self-signed.ts';
import { installedCaddy, installedNginx } from '../setup/debian-packages.ts';

const nginx = installedNginx();
const caddy = installedCaddy();
let endings: (() => unknown)[];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-proxy-'));
  endings = [() => rmSync(folder, { recursive: true })];
});
afterEach(async () => {
  for (const end of endings.reverse()) await end();
});

async function listening(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Resolves when the program answers. */
async function running(program: string, args: readonly string[], url: string): Promise<void> {
  const log = join(folder, 'output');
  const child = spawn('/bin/sh', ['-c', `exec "$0" "$@" > ${log} 2>&1`, program, ...args], {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  endings.push(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  await expect.poll(() => fetch(`${url}/metrics`).then(({ status }) => status, String)).toBe(404);
}

async function startNginx(servers: readonly number[], plainPort?: number): Promise<string> {
  const port = await freePort();
  const file = writeNginxSite({
    folder,
    port,
    servers: servers.map((each) => `server 127.0.0.1:${each};`),
    ...(plainPort === undefined ? {} : { plainPort }),
  });
  const url = `http://127.0.0.1:${port}`;
  await running(nginx ?? '', ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], url);
  return url;
}

async function startCaddy(server: number): Promise<string> {
  const port = await freePort();
  const site = readFileSync('deploy/Caddyfile', 'utf8')
    .replace('lookout.example {', `http://127.0.0.1:${port} {`)
    .replace('127.0.0.1:3000', `127.0.0.1:${server}`)
    .replace('{\n', '{\n\tadmin off\n');
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, site);
  const url = `http://127.0.0.1:${port}`;
  await running(caddy ?? '', ['run', '--config', file, '--adapter', 'caddyfile'], url);
  return url;
}

/** Everything that a proxy wrote. */
function logs(...names: readonly string[]): string {
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

const TOKEN = 'read-token-c0ffee';
const QUERY = 'view=47.46,8.55,12';

test.skipIf(nginx === undefined)(
  'while servers of two releases run, the code of either comes from a server that has it',
  async () => {
    const requested: string[] = [];
    const release = (name: string): Promise<number> =>
      listening((request, response) => {
        requested.push(`${name} ${request.method} ${request.url}`);
        const isThere = !request.url?.startsWith('/_next/static/') || request.url.includes(name);
        response.writeHead(isThere ? 200 : 404).end(name);
      });
    const url = await startNginx([await release('old'), await release('new')]);
    const get = async (path: string) => {
      const answer = await fetch(url + path);
      return [answer.status, await answer.text()];
    };
    for (const name of ['old', 'old', 'old', 'new', 'new', 'new'])
      expect(await get(`/_next/static/chunks/${name}-1.js`)).toEqual([200, name]);
    const [status] = await get('/_next/static/chunks/unknown.js');
    expect(status).toBe(404);
    expect((await get('/api/live'))[0]).toBe(200);
    expect(
      requested.filter((each) => each.endsWith('/api/live')),
      'no other request is repeated',
    ).toHaveLength(1);
  },
);

test.skipIf(nginx === undefined)('nginx accepts the site as it is installed: TLS, HTTP/2 and IPv6', async () => {
  selfSigned(folder, 'DNS:lookout.example');
  const [plainPort, port] = [await freePort(), await freePort()];
  const site = readFileSync('deploy/nginx.conf', 'utf8')
    .replaceAll(/(listen (?:\[::\]:)?)80;/g, `$1${plainPort};`)
    .replaceAll(/(listen (?:\[::\]:)?)443 /g, `$1${port} `)
    .replace('/etc/nginx/lookout.crt', join(folder, 'certificate.pem'))
    .replace('/etc/nginx/lookout.key', join(folder, 'key.pem'))
    .replace('/var/log/nginx/', `${folder}/`);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${folder}/pid; events {}\nhttp {\naccess_log off;\n${site}}\n`);
  const checked = spawnSync(nginx ?? '', ['-t', '-q', '-c', file, '-e', join(folder, 'error.log')], {
    encoding: 'utf8',
  });
  expect(checked.stderr).toBe('');
  expect(checked.status).toBe(0);
});

test.skipIf(nginx === undefined)(
  'nginx logs no query, and nothing of an address with a read token, also while Lookout does not answer',
  async () => {
    const plainPort = await freePort();
    const lookout = await listening((_request, response) => response.end('{}'));
    const gone = await freePort();
    const url = await startNginx([lookout], plainPort);
    await fetch(`${url}/?${QUERY}`, { headers: { referer: `${url}/?${QUERY}` } });
    await fetch(`${url}/api/feeds/${TOKEN}/data/aircraft.json`);
    const plain = `http://127.0.0.1:${plainPort}/api/feeds/${TOKEN}/data/aircraft.json`;
    expect((await fetch(plain, { redirect: 'manual' })).status).toBe(301);
    await endings.pop()?.();
    const down = await startNginx([gone], plainPort);
    expect((await fetch(`${down}/api/feeds/${TOKEN}/data/aircraft.json`)).status).toBe(502);
    expect((await fetch(`${down}/healthz`)).status).toBe(502);
    const written = logs('access.log', 'error.log', 'output');
    expect(written).toContain('"GET /" 200');
    expect(written).toContain('/healthz');
    expect(written).not.toContain(TOKEN);
    expect(written).not.toContain('47.46');
  },
);

test.skipIf(caddy === undefined)('Caddy accepts its file as it is installed', () => {
  const { status, stderr } = spawnSync(
    caddy ?? '',
    ['validate', '--config', 'deploy/Caddyfile', '--adapter', 'caddyfile'],
    { encoding: 'utf8', env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder } },
  );
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('"warn"')]);
});

test.skipIf(caddy === undefined)(
  'Caddy passes the client’s address whatever it claims, answers as they are made, and logs no read token',
  async () => {
    const headers: unknown[] = [];
    let hasEnded = false;
    const port = await listening((request, response) => {
      response.once('close', () => {
        hasEnded = true;
      });
      headers.push(request.headers['x-forwarded-for'], request.headers['x-forwarded-proto'], request.headers.host);
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"type":"progress"}\n');
    });
    const url = await startCaddy(port);
    const answer = await fetch(`${url}/api/history`, { headers: { 'x-forwarded-for': '192.0.2.1' } });
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('{"type":"progress"}\n');
    await reader?.cancel();
    await expect.poll(() => hasEnded, { message: 'a closed page ends its load' }).toBe(true);
    expect(headers).toEqual(['127.0.0.1', 'http', new URL(url).host]);
    expect((await fetch(`${url}/readyz`)).status).toBe(404);
    await endings.pop()?.();
    const down = await startCaddy(await freePort());
    expect((await fetch(`${down}/api/feeds/${TOKEN}/data/aircraft.json`)).status).toBe(502);
    expect(logs('output')).not.toContain(TOKEN);
  },
);
