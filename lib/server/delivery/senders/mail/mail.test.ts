import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigOf } from '#lib/api/outputs/destinations.ts';
import { noticeOf } from '#lib/outputs/notice/notice.fixture.ts';
import { eventually } from '#testing/eventually.ts';
import { isMissing } from '#testing/missing-package.ts';
import { type SelfSigned, selfSigned } from '#testing/self-signed.ts';
import { startSmtpServer } from '#testing/smtp-server.ts';
import { openGuard } from '../../guard/guard.ts';
import { depsOf } from '../sender-deps.fixture.ts';
import { openMail } from './mail.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function open(port: number, config: Partial<ConfigOf<'mail'>> = {}, password = 'right') {
  // As DNS would answer for the name of the server.
  const guard = openGuard(['loopback'], async () => [{ address: '127.0.0.1' }]);
  endings.push(() => guard.close());
  const to = ['tower@example.org'];
  const common = { kind: 'mail', host: 'mail.test', port, security: 'none', user: '', ca_pem: '', to } as const;
  const sender = openMail({ ...common, from: 'lookout@example.org', ...config }, password, depsOf(guard));
  endings.push(() => sender.close());
  return (notice = noticeOf(), signal = new AbortController().signal) => sender.send(notice, signal);
}

describe.skipIf(isMissing('python3-aiosmtpd'))('with a mail server', () => {
  let folder: string;
  let certificate: SelfSigned;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lookout-mail-'));
    certificate = selfSigned(folder, 'DNS:mail.test');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function start(security: ConfigOf<'mail'>['security']) {
    const server = await startSmtpServer(security, certificate);
    endings.push(() => server.stop());
    return server;
  }

  test.each(['starttls', 'tls'] as const)('sends plain text through %s, with user and password', async (security) => {
    const { port, received } = await start(security);
    const to = ['tower@example.org', 'gate@example.org'];
    await open(port, { security, user: 'lookout', ca_pem: certificate.pem, to })(noticeOf({}, { simulated: true }));
    const [mail] = await eventually(() => {
      expect(received).toHaveLength(1);
      return received;
    });
    expect(mail).toMatchObject({ type: 'text/plain', to: ['tower@example.org', 'gate@example.org'], isTls: true });
    expect(mail?.text).toContain('Height above ground (estimated): 62.5 m');
    expect(Object.fromEntries(mail?.headers ?? [])).toMatchObject({
      Subject: 'SIM · Runway 14/32: Entered',
      From: 'lookout@example.org',
      'Auto-Submitted': 'auto-generated',
    });
  });

  test('the Message-ID stays the same over tries', async () => {
    const { port, received } = await start('none');
    const send = open(port);
    await send();
    await send();
    await eventually(() => expect(received).toHaveLength(2));
    const ids = received.map(({ headers }) => headers.find(([name]) => name === 'Message-ID')?.[1]);
    expect(ids).toEqual(Array(2).fill('<1f0c2a7a-3c6e-4b6e-9d64-6f1d1f8e0001@example.org>'));
  });

  test('a zone’s name adds no header, line or recipient', async () => {
    const { port, received } = await start('none');
    const plain = noticeOf().alarms[0]!.zone;
    const names = ['Gate\r\nBcc: evil@example.org\r\n\r\n.\r\nRCPT TO:<evil@example.org>', `${'ü'.repeat(60)}\n\0X: y`];
    for (const name of names) await open(port)(noticeOf({}, { zone: { ...plain, name } }));
    await eventually(() => expect(received).toHaveLength(2));
    const expected = ['From', 'To', 'Subject', 'Message-ID', 'Content-Transfer-Encoding', 'Date', 'MIME-Version'];
    for (const { headers, to } of received) {
      expect(new Set(headers.map(([name]) => name))).toEqual(new Set([...expected, 'Auto-Submitted', 'Content-Type']));
      expect(to).toEqual(['tower@example.org']);
    }
  });

  test('refuses a certificate of another name or of an unknown authority', async () => {
    const { port, received } = await start('tls');
    const config = { security: 'tls', user: 'lookout' } as const;
    await expect(open(port, { ...config, ca_pem: certificate.pem, host: 'other.test' })()).rejects.toMatchObject({
      kind: 'retry',
      message: 'Its certificate is for another name.',
    });
    await expect(open(port, config)()).rejects.toMatchObject({ message: 'Its certificate is self-signed.' });
    expect(received).toEqual([]);
  });

  test('sends nothing in clear text where STARTTLS is required', async () => {
    const { port, received } = await start('none');
    await expect(open(port, { security: 'starttls', user: 'lookout' })()).rejects.toMatchObject({ kind: 'retry' });
    expect(received).toEqual([]);
  });

  test('reports a refused password without it', async () => {
    const { port } = await start('tls');
    const config = { security: 'tls', user: 'lookout', ca_pem: certificate.pem } as const;
    await expect(open(port, config, 'hunter2')()).rejects.toMatchObject({
      kind: 'retry',
      message: 'The mail server refuses the user or the password.',
    });
  });

  test('reports refused recipients, and whether another try may help', async () => {
    const { port } = await start('none');
    await expect(open(port, { to: ['unknown@example.org'] })()).rejects.toMatchObject({ kind: 'refused' });
    await expect(open(port, { to: ['busy@example.org'] })()).rejects.toMatchObject({ kind: 'retry' });
    await expect(open(port, { to: ['unknown@example.org', 'tower@example.org'] })()).rejects.toMatchObject({
      kind: 'refused',
      message: 'The mail server refuses unknown@example.org. It accepts the mail for tower@example.org.',
    });
    await expect(open(port, { to: ['busy@example.org', 'tower@example.org'] })()).rejects.toMatchObject({
      kind: 'retry',
    });
  });
});

test('ends at a server that does not answer, or is not there', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  endings.push(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  await expect(open(port)(noticeOf(), AbortSignal.timeout(100))).rejects.toMatchObject({ kind: 'retry' });
  await expect(open(1)()).rejects.toMatchObject({ kind: 'retry', message: 'Nothing listens there.' });
});
