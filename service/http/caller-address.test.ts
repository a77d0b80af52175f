import { BlockList } from 'node:net';
import { expect, test } from 'vitest';
import { callerAddress } from './caller-address.ts';

const proxies = new BlockList();
proxies.addSubnet('127.0.0.0', 8);
proxies.addAddress('::1', 'ipv6');
proxies.addAddress('10.0.0.7');

function called(remoteAddress: string | undefined, ...forwarded: readonly string[]) {
  const headersDistinct = forwarded.length > 0 ? { 'x-forwarded-for': [...forwarded] } : {};
  return { socket: { remoteAddress }, headersDistinct } as unknown as Parameters<typeof callerAddress>[0];
}

test('without proxies the peer called, whatever it says', () => {
  expect(callerAddress(called('127.0.0.1', '203.0.113.5'), undefined)).toBe('127.0.0.1');
});

test.each([
  ['a proxy says who called it', ['127.0.0.1', '203.0.113.5'], '203.0.113.5'],
  ['a proxy on IPv6', ['::1', '2001:db8::5'], '2001:db8::5'],
  ['a peer that listens on both, written as IPv6', ['::ffff:127.0.0.1', '203.0.113.5'], '203.0.113.5'],
  ['a proxy behind a proxy', ['127.0.0.1', '203.0.113.5, 10.0.0.7'], '203.0.113.5'],
  ['a header that the caller sent too', ['127.0.0.1', '192.0.2.1, 203.0.113.5'], '203.0.113.5'],
  ['two headers', ['127.0.0.1', '192.0.2.1', '203.0.113.5'], '203.0.113.5'],
  ['a peer that is no proxy of ours', ['198.51.100.9', '203.0.113.5'], '198.51.100.9'],
  ['a proxy that says nothing', ['127.0.0.1'], '127.0.0.1'],
  ['a proxy that says nonsense', ['127.0.0.1', 'unknown'], '127.0.0.1'],
  ['nothing but proxies', ['127.0.0.1', '10.0.0.7'], '10.0.0.7'],
] as const)('%s', (_what, [peer, ...forwarded], caller) => {
  expect(callerAddress(called(peer, ...forwarded), proxies)).toBe(caller);
});

test('a connection that has ended has no address', () => {
  expect(callerAddress(called(undefined), proxies)).toBe('');
});
