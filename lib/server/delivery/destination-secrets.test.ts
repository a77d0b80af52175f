import { execFileSync } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { destinationConfigSchema } from '#lib/api/outputs/destination-kinds.ts';
import { requirePems } from './destination-secrets.ts';
import { makeAuthority } from './senders/tak-listener.fixture.ts';

const authority = makeAuthority();
const client = authority.sign('DNS:lookout');
const other = authority.sign('DNS:other');
afterAll(() => authority.end());

const TORN = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const withPassphrase = () =>
  execFileSync('openssl', ['pkey', '-aes256', '-passout', 'pass:x'], { input: client.key, encoding: 'utf8' });

function problemOf(changed: object, key: string | undefined = client.key): string | undefined {
  const cot = { kind: 'cot', host: 'tak.example', port: 8089, ca_pem: authority.cert, certificate_pem: client.cert };
  try {
    requirePems(destinationConfigSchema.parse({ ...cot, ...changed }), key);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test('takes a client certificate with its chain and its key, also as openssl pkcs12 writes them', () => {
  expect(problemOf({})).toBeUndefined();
  expect(problemOf({ ca_pem: '', certificate_pem: `Bag Attributes\n${client.cert}${authority.cert}` })).toBeUndefined();
  expect(
    problemOf({}, `Bag Attributes\n    localKeyID: 01\nKey Attributes: <No Attributes>\n${client.key}`),
  ).toBeUndefined();
});

test.each([
  ['a word', 'none', 'must contain a certificate as PEM'],
  ['nothing', '', 'must contain a certificate as PEM'],
  ['a torn one', TORN, 'contains a certificate that cannot be read'],
  ['one with its key', client.cert + client.key, 'must contain no private key, because answers would show it'],
])('names the client certificate that is none: %s', (_, certificate_pem, problem) => {
  expect(problemOf({ certificate_pem })).toBe(`config.certificate_pem: ${problem}`);
});

test.each([
  ['another key', () => other.key, 'is not the key of the client certificate'],
  ['a key with a passphrase', withPassphrase, 'must be a key as PEM without a passphrase'],
  ['a text', () => 'none', 'must be a key as PEM without a passphrase'],
])('names the key where it is %s', (_, key, problem) => {
  expect(problemOf({}, key())).toBe(`secret: ${problem}`);
});

test('names every field that cannot be read', () => {
  const tak = destinationConfigSchema.parse({ kind: 'cot', host: 'a', port: 1, ca_pem: 'none', certificate_pem: TORN });
  expect(() => requirePems(tak, undefined)).toThrow(
    /^config\.ca_pem: [^;]+; config\.certificate_pem: [^;]+; secret: must be the key of the client certificate$/,
  );
});

test.each([
  { kind: 'mqtt', url: 'mqtts://broker.example' },
  { kind: 'mail', host: 'smtp.example', port: 25, security: 'tls', from: 'a@b.ch', to: ['c@d.ch'] },
])('names the authority of $kind that is none', (config) => {
  const parsed = destinationConfigSchema.parse({ ...config, ca_pem: TORN });
  expect(() => requirePems(parsed, undefined)).toThrow('config.ca_pem: contains a certificate that cannot be read');
});
