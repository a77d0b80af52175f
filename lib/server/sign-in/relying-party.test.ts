import { describe, expect, test } from 'vitest';
import { relyingParty } from './relying-party.ts';

describe('passkeys are for', () => {
  test.each([
    ['https://lookout.example', '127.0.0.1', { id: 'lookout.example', origin: 'https://lookout.example' }],
    ['https://lookout.example:8443', '0.0.0.0', { id: 'lookout.example', origin: 'https://lookout.example:8443' }],
    ['http://localhost:3000', '127.0.0.1', { id: 'localhost', origin: 'http://localhost:3000' }],
    [undefined, '127.0.0.1', { id: 'localhost', origin: 'http://localhost:3000' }],
    [undefined, '::1', { id: 'localhost', origin: 'http://localhost:3000' }],
  ])('the name in PUBLIC_URL %s, at HOST %s', (publicOrigin, host, party) => {
    expect(relyingParty(publicOrigin, host, 3000)).toEqual(party);
  });

  test.each([
    ['http://127.0.0.1:3000', '127.0.0.1', 'on this machine the name is localhost'],
    ['https://192.0.2.7', '127.0.0.1', '192.0.2.7 in PUBLIC_URL is an address.'],
    ['https://[2001:db8::1]', '127.0.0.1', '[2001:db8::1] in PUBLIC_URL is an address.'],
    ['http://lookout.example', '127.0.0.1', 'by https alone'],
    [undefined, '0.0.0.0', 'need PUBLIC_URL'],
  ])('no address and nothing without https: PUBLIC_URL %s, HOST %s', (publicOrigin, host, said) => {
    expect(relyingParty(publicOrigin, host, 3000)).toEqual({ problem: expect.stringContaining(said) });
  });
});
