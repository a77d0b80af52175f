import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { freePort } from '#testing/free-port.ts';
import { writeNginxSite } from '#testing/nginx-site.ts';
import { selfSigned } from '#testing/self-signed.ts';
import { installedNginx } from '../scripts/setup/debian-packages.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';

const nginx = installedNginx();
/** nginx connects to Lookout from another address. */
const CLIENT = '127.0.0.2';

interface Ports {
  readonly port: number;
  readonly plainPort: number;
  readonly appPort: number;
}

function writeConfiguration(folder: string, { port, plainPort, appPort }: Ports): Buffer {
  const { certificateFile, keyFile } = selfSigned(folder, 'DNS:localhost');
  renameSync(keyFile, join(folder, 'lookout.key'));
  renameSync(certificateFile, join(folder, 'lookout.crt'));
  writeNginxSite({ folder, port, plainPort, tls: true, servers: [`server 127.0.0.1:${appPort};`] });
  return readFileSync(join(folder, 'lookout.crt'));
}

test('Behind nginx: TLS, the address of the client however it is forged, and answers as they are made', async ({
  startOwn,
  browser,
}) => {
  test.skip(nginx === undefined, 'nginx is not installed: apt-get install nginx');
  const [port, plainPort, appPort] = [await freePort(), await freePort(), await freePort()];
  const dataDir = mkdtempSync(join(tmpdir(), 'lookout-data-'));
  const lookout = await startOwn({
    operators: ['alice'],
    settings: {
      PORT: String(appPort),
      PUBLIC_URL: `https://localhost:${port}`,
      TRUSTED_PROXIES: '127.0.0.1',
      DATA_DIR: dataDir,
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'lookout-nginx-'));
  const ca = writeConfiguration(folder, { port, plainPort, appPort });
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}, body?: string) => {
    const sent = request({
      ...{ host: '127.0.0.1', servername: 'localhost', port, path, ca, localAddress: CLIENT, agent: false },
      method: body === undefined ? 'GET' : 'POST',
      headers: { host: `localhost:${port}`, 'x-forwarded-for': '192.0.2.1', ...headers },
    });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  };
  let server: ChildProcess | undefined;
  try {
    server = spawn(nginx ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')]);
    await expect
      .poll(() =>
        ask('/healthz').then(
          ({ statusCode }) => statusCode,
          () => 'not yet',
        ),
      )
      .toBe(200);
    const plain = await fetch(`http://127.0.0.1:${plainPort}/?view=47,8,8`, { redirect: 'manual' });
    expect([plain.status, plain.headers.get('location')]).toEqual([301, 'https://127.0.0.1/?view=47,8,8']);

    const [alice] = lookout.operators;
    const session = await ask(
      '/api/session',
      { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      JSON.stringify({ name: alice?.name, password: alice?.password }),
    );
    expect(session.statusCode).toBe(204);
    const cookies = session.headers['set-cookie'] ?? [];
    const cookie = cookies.find((each) => each.startsWith('__Host-lookout=')) ?? '';
    expect(cookie).toMatch(/; Secure/i);
    expect(session.headers['strict-transport-security']).toMatch(/max-age=\d{7,}/);

    const audit = new DatabaseSync(join(dataDir, 'lookout.sqlite'), { readOnly: true });
    // The audit is written after the answer.
    await expect
      .poll(() => audit.prepare("select address from audit_event where kind = 'signed_in'").all())
      .toEqual([{ address: CLIENT }]);
    audit.close();

    await test.step('A browser signs in, keeps a cookie of this host and of TLS alone, and is out when it signs out', async () => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      const signIn = new SignInDriver(page, `https://localhost:${port}`);
      await signIn.opens('/?view=46.9,8.2,7');
      await signIn.submits({ name: alice?.name ?? '', password: alice?.password ?? '' });
      await expect(signIn.asOperator().state('Aircraft')).toHaveText(/up to date/);
      const kept = await context.cookies();
      const bound = { domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' };
      expect(kept.map(({ name }) => name)).toContain('__Host-lookout');
      for (const each of kept)
        expect(each, each.name).toMatchObject({ ...bound, name: expect.stringMatching(/^__Host-/) });
      await signIn.signsOut(alice?.name ?? '');
      await signIn.seesForm();
      expect((await page.request.get(`https://localhost:${port}/api/session`)).status()).toBe(401);
      await context.close();
    });

    await test.step('The first line of a load arrives while the upstream has not answered yet', async () => {
      const endMs = Math.floor(Date.now() / MINUTE_MS - 2) * MINUTE_MS;
      const [start, end] = [endMs - MINUTE_MS, endMs].map((ms) => new Date(ms).toISOString());
      await lookout.service.breakWith({ kind: 'silent' });
      const load = await ask(`/api/history?bbox=7,46,9,48&layers=adsb&start=${start}&end=${end}`, {
        accept: 'application/x-ndjson',
        cookie: cookie.split(';')[0] ?? '',
      });
      expect(load.statusCode).toBe(200);
      const [chunk] = (await once(load, 'data')) as [Buffer];
      expect(chunk.toString()).toContain('"type":"progress"');
      expect(load.complete).toBe(false);
      await lookout.service.mend();
      load.destroy();
    });

    await test.step('The largest body of the API reaches Lookout, and a larger one is refused', async () => {
      const bodyOf = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;
      const send = (bytes: number) =>
        ask(
          '/api/admin/destinations',
          { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie: cookie.split(';')[0] ?? '' },
          bodyOf(bytes),
        );
      const fits = await send(BODY_MAX_BYTES);
      expect([fits.statusCode, await text(fits)]).toEqual([403, expect.stringContaining('not_permitted')]);
      expect((await send(2 * BODY_MAX_BYTES)).statusCode).toBe(413);
    });

    await test.step('Addresses for operations are not passed on', async () => {
      for (const path of ['/metrics', '/readyz']) {
        const answer = await ask(path);
        expect(answer.statusCode).toBe(404);
        expect(await text(answer)).toContain('nginx');
      }
    });
  } finally {
    server?.kill('SIGTERM');
  }
});
