import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeEach, describe, expect, test } from 'vitest';
import { listenDeaf } from '#testing/deaf-listener.ts';
import { selfSigned } from '#testing/self-signed.ts';
import { allowedAddresses, type Guard, isAllowedAddress, type Lookup, openGuard } from './guard.ts';
import { Receiver } from './receiver.fixture.ts';
import { post } from './senders/http-post.ts';

const PUBLIC = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '64:ff9b::5db8:d822'];
const PRIVATE = [
  ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
  ...['192.0.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', '2606:2800:220:1::1%eth0', 'fc00::1', 'fec0::1', 'ff02::1'],
  // IPv4 within: mapped, compatible, NAT64, 6to4, Teredo.
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1'],
  ...['2002:7f00:1::', '2002:5db8:d822::', '2001:0:7f00:1::'],
];
/** As a URL or a host of mail may write 127.0.0.1. */
const DISGUISED = ['2130706433', '0x7f.1', '0177.0.0.1', '127.1', 'localhost', 'localhost.'];

test.each(PUBLIC)('%s is public', (address) => expect(isAllowedAddress(address, [])).toBe(true));
test.each(PRIVATE)('%s is refused', (address) => expect(isAllowedAddress(address, [])).toBe(false));

test('a private address is allowed if it is listed', () => {
  expect(isAllowedAddress('10.1.2.3', ['10.0.0.0/8'])).toBe(true);
  expect(isAllowedAddress('::ffff:10.1.2.3', ['10.0.0.0/8'])).toBe(true);
  expect(isAllowedAddress('11.1.2.3', ['10.0.0.0/8']) && isAllowedAddress('192.168.0.1', ['10.0.0.0/8'])).toBe(false);
  expect([isAllowedAddress('::1', ['loopback']), isAllowedAddress('10.0.0.1', ['loopback'])]).toEqual([true, false]);
});

test.each(DISGUISED)('%s as a host is refused', async (host) => {
  await expect(allowedAddresses(host, [])).rejects.toThrow();
});

test('a name has those of its addresses that are allowed', async () => {
  const lookup: Lookup = async () => [{ address: '10.0.0.1' }, { address: '93.184.216.34' }, { address: '10.0.0.2' }];
  expect(await allowedAddresses('both.example', [], lookup)).toEqual({
    addresses: [{ address: '93.184.216.34', family: 4 }],
    isPartial: true,
  });
  expect(await allowedAddresses('both.example', ['10.0.0.0/8'], lookup)).toMatchObject({ isPartial: false });
  await expect(allowedAddresses('inside.example', [], async () => [{ address: '10.0.0.1' }])).rejects.toThrow(
    /OUTPUT_PRIVATE_ADDRESSES/,
  );
});

describe('requests', () => {
  let receiver: Receiver;
  let guard: Guard;
  const open = (listed: readonly string[], lookup?: Lookup) => {
    guard = openGuard(listed, lookup, 1000);
  };
  const send = (url: string, answerMs?: number) =>
    post(url, '{}', {}, guard, new AbortController().signal, { answerMs });
  beforeEach(async () => {
    receiver = await Receiver.open();
    return async () => {
      receiver.close();
      await guard.close();
    };
  });

  test.each(['127.0.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '[::ffff:127.0.0.1]', 'localhost'])(
    'to http://%s are refused',
    async (host) => {
      open([]);
      await expect(send(`http://${host}:${receiver.port}/`)).rejects.toMatchObject({ kind: 'retry' });
      expect(receiver.received).toEqual([]);
    },
  );

  test('to a public name with a private address are refused', async () => {
    open([], async () => [{ address: '127.0.0.1' }]);
    await expect(send(`http://public.example:${receiver.port}/`)).rejects.toThrow(/no public address/);
    expect(receiver.received).toEqual([]);
  });

  test('connect to the address that was checked, whatever the name resolves to later', async () => {
    const answers = ['127.0.0.1', '127.0.0.2'];
    open(['127.0.0.1'], async () => [{ address: answers.shift() ?? '127.0.0.2' }]);
    receiver.answer = (response) => void response.writeHead(204, { connection: 'close' }).end();
    await send(`http://rebinding.example:${receiver.port}/`);
    expect(receiver.received[0]?.headers.host).toBe(`rebinding.example:${receiver.port}`);
    expect(answers).toEqual(['127.0.0.2']);
    await expect(send(`http://rebinding.example:${receiver.port}/`)).rejects.toThrow(/no public address/);
  });

  test('try no address that is not allowed, and say that it was left out', async () => {
    const inside = await Receiver.open();
    open(['127.0.0.1'], async () => [{ address: '127.0.0.2' }, { address: '127.0.0.1' }]);
    const { port } = inside;
    inside.close();
    await expect(send(`http://both.example:${port}/`)).rejects.toThrow(
      /^Nothing listens there\. .*OUTPUT_PRIVATE_ADDRESSES were left out\.$/,
    );
  });

  describe('to a name with several addresses', () => {
    const names = (...addresses: string[]) => open(['loopback'], async () => addresses.map((address) => ({ address })));
    const url = () => `http://several.example:${receiver.port}/`;

    test.each([
      ['IPv6 refuses', ['::1', '127.0.0.1']],
      ['the second refuses', ['127.0.0.1', '::1']],
      ['all of IPv6 and the first of IPv4 refuse', ['::1', '::1', '127.0.0.2', '127.0.0.3', '127.0.0.1']],
      ['an address is written as IPv6', ['::ffff:127.0.0.1']],
    ])('reach the one that answers where %s', async (_, addresses) => {
      names(...addresses);
      await send(url());
      expect(receiver.received).toHaveLength(1);
    });

    test('reach the one that answers where the first is silent', async () => {
      const deaf = await listenDeaf('127.0.0.2', receiver.port);
      names('127.0.0.2', '127.0.0.1');
      await send(url());
      expect(receiver.received).toHaveLength(1);
      await deaf.close();
    });

    test('end where all are silent', async () => {
      const deaf = await listenDeaf('127.0.0.2', receiver.port);
      names('127.0.0.2', '127.0.0.2');
      await expect(send(url())).rejects.toThrow('The machine does not answer.');
      await deaf.close();
    });

    test('try eight of them at most', async () => {
      names(...Array(8).fill('127.0.0.2'), '127.0.0.1');
      await expect(send(url())).rejects.toThrow('Nothing listens there.');
    });

    test('resolve it again for each connection', async () => {
      const answers = [['127.0.0.2'], [], ['127.0.0.1']];
      open(['loopback'], async () => (answers.shift() ?? []).map((address) => ({ address })));
      await expect(send(url())).rejects.toThrow('Nothing listens there.');
      await expect(send(url())).rejects.toThrow('No machine of that name is known.');
      await send(url());
      expect(receiver.received).toHaveLength(1);
    });
  });

  test('over TLS need a certificate of the name, not of the address', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-guard-'));
    const { certificateFile, keyFile, pem } = selfSigned(folder, 'DNS:named.example');
    const options = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
    const server = createServer(options, (_, response) => void response.writeHead(204).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, pem]);
    open(['loopback'], async () => [{ address: '::1' }, { address: '127.0.0.1' }]);
    await send(`https://named.example:${port}/`);
    await send(`https://named.example.:${port}/`);
    await expect(send(`https://other.example:${port}/`)).rejects.toMatchObject({ kind: 'retry' });
    await expect(send(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({ kind: 'retry' });
    setDefaultCACertificates(trusted);
    server.close();
    rmSync(folder, { recursive: true });
  });

  test('follow no redirect', async () => {
    open(['loopback']);
    const inside = await Receiver.open();
    receiver.answerStatus(307, { location: inside.url });
    await expect(send(receiver.url)).rejects.toThrow(/Redirects are not followed/);
    expect(inside.received).toEqual([]);
    inside.close();
  });

  test('end where the answer does not begin in time', async () => {
    open(['loopback']);
    receiver.answer = () => undefined;
    await expect(send(receiver.url, 50)).rejects.toMatchObject({
      kind: 'retry',
      message: 'It did not answer in time.',
    });
  });

  test('count as arrived at the status, even if the answer never ends or is endless', async () => {
    open(['loopback']);
    receiver.answer = (response) => void response.writeHead(200).write('never ends');
    await send(receiver.url);
    let isClosed = false;
    receiver.answer = (response) => {
      response.writeHead(200).on('close', () => {
        isClosed = true;
      });
      const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more));
      more();
    };
    await send(receiver.url);
    await expect.poll(() => isClosed).toBe(true);
  });

  test('say what failed without the address', async () => {
    open(['loopback']);
    const { port } = receiver;
    receiver.close();
    await expect(send(`http://127.0.0.1:${port}/token-abc`)).rejects.toThrow('Nothing listens there.');
    receiver = await Receiver.open();
  });
});
