import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '#testing/free-port.ts';
import { installedNginx } from '../setup/debian-packages.ts';

const nginx = installedNginx();
let endings: (() => unknown)[];
beforeEach(() => {
  endings = [];
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

async function startNginx(ports: readonly number[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-nginx-'));
  const port = await freePort();
  const site = readFileSync('deploy/nginx.conf', 'utf8')
    .replace('server 127.0.0.1:3000;', ports.map((each) => `server 127.0.0.1:${each};`).join(' '))
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
    .replaceAll(/^ *ssl_.*$/gm, '');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (of) => `${of}_temp_path ${folder}/${of};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; events {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\n${site}}\n`,
  );
  const running = spawn(nginx ?? '', ['-p', folder, '-c', file, '-e', join(folder, 'log')], { stdio: 'ignore' });
  endings.push(async () => {
    running.kill('SIGTERM');
    if (running.exitCode === null) await once(running, 'exit');
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => fetch(`${url}/metrics`).then(({ status }) => status, String)).toBe(404);
  return url;
}

test.skipIf(nginx === undefined)(
  'while servers of two releases run, the code of either comes from a server that has it',
  async () => {
    const asked: string[] = [];
    const release = (name: string): Promise<number> =>
      listening((request, response) => {
        asked.push(`${name} ${request.method} ${request.url}`);
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
      asked.filter((each) => each.endsWith('/api/live')),
      'no other request is repeated',
    ).toHaveLength(1);
  },
);
