import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ConfigOf, destinationConfigSchema } from '#lib/api/outputs/destination-kinds.ts';
import { noticeOf, PERMITTED, PERMITTED_LINES } from '#lib/outputs/notice.fixture.ts';
import { eventually } from '#testing/eventually.ts';
import { isMissing } from '#testing/missing-package.ts';
import { type SelfSigned, selfSigned } from '#testing/self-signed.ts';
import { type SmtpServer, startSmtpServer } from '#testing/smtp-server.ts';
import { openGuard } from '../guard.ts';
import { openMail } from './mail.ts';
import { depsOf } from './sender-deps.fixture.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function open(port: number, config: Partial<ConfigOf<'mail'>> = {}, password = 'right', publicOrigin?: string) {
  // As DNS would answer for the name of the server. Nothing listens at its first address.
  const guard = openGuard(['loopback'], async () => [{ address: '::1' }, { address: '127.0.0.1' }]);
  endings.push(() => guard.close());
  const to = ['tower@example.org'];
  const common = { kind: 'mail', host: 'mail.test', port, security: 'none', user: '', ca_pem: '', to } as const;
  const sender = openMail(
    { ...common, from: 'lookout@example.org', ...config },
    password,
    depsOf(guard, undefined, publicOrigin),
  );
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
    await open(port, { security, user: 'lookout', ca_pem: certificate.pem, to })(
      noticeOf({}, { simulated: true, ...PERMITTED }),
    );
    const [mail] = await eventually(() => {
      expect(received).toHaveLength(1);
      return received;
    });
    expect(mail).toMatchObject({ type: 'text/plain', to: ['tower@example.org', 'gate@example.org'], isTls: true });
    expect(mail?.text.replaceAll('\r\n', '\n')).toContain(`SIM · ${PERMITTED_LINES}\n`);
    expect(mail?.text).toContain('Height above ground (estimated): 62.5 m');
    expect(Object.fromEntries(mail?.headers ?? [])).toMatchObject({
      Subject: 'SIM · Drone 00001 in Runway 14/32',
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

  test('reports refused recipients, and what the server says', async () => {
    const { port, received } = await start('none');
    await expect(open(port, { to: ['unknown@example.org'] })()).rejects.toMatchObject({
      kind: 'failed',
      message: 'The mail server refuses every recipient (status 550): “no such user”.',
    });
    await expect(open(port, { to: ['busy@example.org'] })()).rejects.toMatchObject({ kind: 'retry' });
    expect(received).toEqual([]);
  });

  test.each(['unknown', 'busy'])('repeats a mail only to those who were refused, such as %s@', async (refused) => {
    const { port, received } = await start('none');
    const send = open(port, { to: [`${refused}@example.org`, 'tower@example.org', 'once@example.org'] });
    const message = expect.stringMatching(
      new RegExp(`${refused}@example.org, once@example.org.* It accepted the mail for the others`),
    );
    await expect(send()).rejects.toMatchObject({ kind: 'partly', message });
    await expect(send()).rejects.toMatchObject({ kind: 'partly' });
    const still = expect.stringMatching(new RegExp(`refuses ${refused}@example.org .* for the others`));
    await expect(send()).rejects.toMatchObject({ kind: 'partly', message: still });
    await eventually(() => expect(received).toHaveLength(2));
    expect(received.map(({ to }) => to)).toEqual([['tower@example.org'], ['once@example.org']]);
    await expect(send(noticeOf({ id: '1f0c2a7a-3c6e-4b6e-9d64-6f1d1f8e0002' }))).rejects.toMatchObject({
      kind: 'partly',
    });
    await eventually(() => expect(received.at(-1)?.to).toEqual(['tower@example.org', 'once@example.org']));
  });

  test.each(['once', 'later'])('a mail arrives where %s@ was refused once', async (name) => {
    const { port, received } = await start('none');
    const send = open(port, { to: [`${name}@example.org`, 'tower@example.org'] });
    await expect(send()).rejects.toMatchObject({ kind: 'partly' });
    await send();
    await eventually(() =>
      expect(received.map(({ to }) => to[0])).toEqual(['tower@example.org', `${name}@example.org`]),
    );
  });

  test('shows all lines of what the server says', async () => {
    const { port } = await start('none');
    await expect(open(port, { to: ['once@example.org'] })()).rejects.toMatchObject({
      message: 'The mail server refuses every recipient (status 552): “5.2.2 The mailbox 5.2.2 is full”.',
    });
  });

  describe('that keeps no state', () => {
    let server: SmtpServer;
    beforeAll(async () => {
      server = await startSmtpServer('none');
    });
    afterAll(() => server.stop());

    test.each([
      ['the host of PUBLIC_URL', 'https://map.example:8443', 'lookout@example.org', 'map.example'],
      ['the domain of the sender', undefined, 'lookout@example.org', 'example.org'],
      [
        'the domain of the sender, if PUBLIC_URL has no full name',
        'http://lookout:3000',
        'a@bücher.example',
        'xn--bcher-kva.example',
      ],
      [
        'the domain of the sender, if PUBLIC_URL has an address',
        'http://192.0.2.1',
        'lookout@example.org',
        'example.org',
      ],
      ['the own address, if nothing has a full name', 'http://localhost:3000', 'root@localhost', '[127.0.0.1]'],
    ])('greets the server with %s', async (_, publicOrigin, from, helo) => {
      const { port, received } = server;
      const before = received.length;
      await open(port, { from }, 'right', publicOrigin)();
      await eventually(() => expect(received.slice(before)).toMatchObject([{ helo }]));
    });

    test.each([
      ['root@localhost', 'root@localhost'],
      ['ops@mailhost', 'ops@mailhost'],
      ["o'brien+uav@example.org", "o'brien+uav@example.org"],
      ['"tower@night"@example.org', '"tower@night"@example.org'],
      ['leitstelle@bücher.example', 'leitstelle@xn--bcher-kva.example'],
      ['λ@example.org', 'λ@example.org'],
      ['ops@[127.0.0.1]', 'ops@[127.0.0.1]'],
    ])('reaches and sends from %s', async (address, written) => {
      const { port, received } = server;
      const before = received.length;
      const config = { kind: 'mail', host: 'smtp://mail.test', port, security: 'none', from: address, to: [address] };
      await open(port, destinationConfigSchema.parse(config) as ConfigOf<'mail'>)();
      await eventually(() => expect(received.slice(before)).toMatchObject([{ from: written, to: [written] }]));
    });
  });
});

test.each([
  ...['', 'root', '@example.org', 'a@', 'a@b@c', 'a b@example.org', 'a@exa mple.org', 'a,b@example.org', 'a@.example'],
  ...[
    'a..b@example.org',
    'a@example..org',
    '<a@example.org>',
    'a@example.org\r\nRCPT TO:<b@example.org>',
    'a@[x@evil.com]',
  ],
  ...['"a,b"@example.org', '"a b"@example.org', '"a"b"@example.org', `${'a'.repeat(251)}@b.c`],
])('%j is no address of mail', (address) => {
  const config = { kind: 'mail', host: 'mail.test', port: 25, security: 'none', from: address, to: ['a@b'] };
  expect(destinationConfigSchema.safeParse(config).success).toBe(false);
});

test('a server that refuses every greeting is quoted', async () => {
  const lines = ['220 mail.test\r\n', '504 5.5.2 <x>: Helo command rejected: need a full name\r\n'];
  const strict = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(lines[0] ?? '');
    socket.on('data', () => socket.write(lines[1] ?? ''));
  }).listen(0, '127.0.0.1');
  await once(strict, 'listening');
  endings.push(() => strict.close());
  await expect(open((strict.address() as AddressInfo).port)()).rejects.toMatchObject({
    kind: 'retry',
    message:
      'The mail server refuses the connection (status 504): “5.5.2 <x>: Helo command rejected: need a full name”.',
  });
});

test.each([
  [
    '554 5.7.1 Your address is blocked\r\n',
    'The mail server refuses the connection (status 554): “5.7.1 Your address is blocked”.',
  ],
  ['421 Too many connections\r\n', 'The mail server refuses the connection (status 421): “Too many connections”.'],
  ['', 'The connection was cut.'],
  ['220 mail.test\r\n', 'The connection was cut.'],
  ['\x16\x03\x01', 'The connection was cut.'],
  ['HTTP/1.1 400 Bad Request\r\n\r\n', 'It does not speak SMTP.'],
])('the greeting %j is named', async (greeting, message) => {
  const server = createServer((socket) => void socket.on('error', () => undefined).end(greeting)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  endings.push(() => server.close());
  await expect(open((server.address() as AddressInfo).port)()).rejects.toMatchObject({ kind: 'retry', message });
});

test('ends at a server that does not answer, or is not there', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  endings.push(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  await expect(open(port)(noticeOf(), AbortSignal.timeout(100))).rejects.toMatchObject({ kind: 'retry' });
  await expect(open(1)()).rejects.toMatchObject({ kind: 'retry', message: 'Nothing listens there.' });
});
