import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../http/free-port.fixture.ts';
import { hasRedis, newConnection, type RedisServer, startRedis } from '../redis-server.fixture.ts';

const LINK = fileURLToPath(new URL('./redis-link.ts', import.meta.url));

describe.skipIf(!hasRedis())('rediss://', () => {
  let server: RedisServer;
  let port: number;
  let certificate: string;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-redis-tls-'));
    const key = join(folder, 'key.pem');
    certificate = join(folder, 'certificate.pem');
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...made, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    port = await freePort();
    server = await startRedis([
      `tls-port ${port}`,
      `tls-cert-file ${certificate}`,
      `tls-key-file ${key}`,
      'tls-auth-clients no',
    ]);
  });
  afterAll(() => server.remove());

  test('a certificate of nobody that is trusted is refused, and it is said why', async () => {
    const target = { ...server.target, at: { host: 'localhost', port }, tls: true };
    const connection = newConnection(target);
    await new Promise<void>((resolve) => connection.onChange(() => resolve()));
    const reason = expect.stringContaining('self-signed certificate');
    expect(connection.state).toMatchObject({ kind: 'lost', problem: 'refused', reason });
    connection.close();
  });

  test.each([
    ['localhost', 'PONG'],
    ['127.0.0.1', 'refused'],
  ])('a trusted one is believed for its name alone: %s', (host, said) => {
    const program = `
      const { RedisLink } = await import(${JSON.stringify(LINK)});
      const link = await RedisLink.open({ host: '${host}', port: ${port} }, { tls: true }, 5000).catch(({ problem }) => problem);
      console.log(typeof link === 'string' ? link : await link.send(['PING'], 5000));
      process.exit();`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--conditions=react-server', '--input-type=module', '-e', program],
      { encoding: 'utf8', env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate } },
    );
    expect(stdout.trim(), stderr).toBe(said);
  });
});
