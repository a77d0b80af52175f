import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import type { Database } from '../../database/database.ts';
import { memoryDatabase } from '../../database/memory-database.fixture.ts';
import { ShortLived } from '../short-lived.ts';
import { Tallies } from '../tallies.ts';
import { HostileProvider, type Hostility } from './hostile-provider.fixture.ts';
import { oidcEntries } from './oidc-policy.ts';
import { SingleSignOn } from './single-sign-on.ts';

const CLIENT_SECRET = 'known to both';
const nowS = () => Math.floor(Date.now() / 1000);

let provider: HostileProvider;
let log: string[];
let clockMs: number;
let sso: SingleSignOn;
let database: Database;

beforeEach(async () => {
  provider = await new HostileProvider().start();
  log = [];
  database = await memoryDatabase();
  clockMs = Date.now();
  sso = singleSignOn(provider.issuer);
});
afterEach(() => provider.stop());

function options(log: Logger) {
  const now = () => localInstant(clockMs);
  const secret = 's'.repeat(32);
  return { secret, shortLived: new ShortLived(database, now), tallies: new Tallies(database), now, log };
}

function singleSignOn(issuer: string): SingleSignOn {
  return new SingleSignOn(
    {
      issuer,
      clientId: provider.clientId,
      clientSecret: () => CLIENT_SECRET,
      redirectUri: 'http://127.0.0.1:3000/sign-in/oidc/callback',
      groupsClaim: 'groups',
      policy: { admins: [], operators: oidcEntries('tower') ?? [], viewers: [] },
    },
    options(pino({ level: 'debug' }, { write: (line) => log.push(line) })),
  );
}

async function signIn(hostility: Hostility = {}) {
  provider.hostility = hostility;
  const begun = await sso.begin('/', false, undefined);
  const asked = begun?.url.searchParams;
  provider.nonce = asked?.get('nonce') ?? '';
  const query = new URLSearchParams({ code: 'given', state: asked?.get('state') ?? '' });
  return sso.end(query, begun?.cookie, '192.0.2.1');
}

test('a token that is as it should be is accepted', async () => {
  expect(await signIn()).toMatchObject({ kind: 'signed-in', person: { issuer: provider.issuer, subject: 'bob' } });
});

describe('refused as untrusted is a token', () => {
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  test.each<[string, Hostility]>([
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['for another client', { claims: { aud: 'somebody-else' } }],
    ['for several clients, given to another', { claims: { aud: ['lookout', 'other'], azp: 'other' } }],
    ['for several clients, without an authorized party', { claims: { aud: ['lookout', 'other'] } }],
    ['with another nonce', { claims: { nonce: 'another' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['that has expired', { claims: { iat: nowS() - 120, exp: nowS() - 60 } }],
    ['that is not valid yet', { claims: { nbf: nowS() + 120 } }],
    ['that never expires', { claims: { exp: undefined } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['without a signature', { header: { alg: 'none' }, signature: () => '' }],
    [
      'signed with a key that is not the provider’s',
      {
        signature: (signed) =>
          sign('sha256', Buffer.from(signed), { key: stranger, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
      },
    ],
    [
      'signed with the client secret',
      {
        header: { alg: 'HS256' },
        signature: (signed) => createHmac('sha256', CLIENT_SECRET).update(signed).digest('base64url'),
      },
    ],
    ['signed by a key that it brings along', { header: { kid: 'two', jwk: {}, jku: 'https://evil.example/jwks' } }],
    ['with a critical extension', { header: { crit: ['exp'] } }],
  ])('%s', async (_, hostility) => {
    expect(await signIn(hostility)).toMatchObject({ kind: 'failed', problem: 'untrusted' });
    expect(await signIn()).toMatchObject({ kind: 'signed-in' });
  });

  test('whose userinfo is another person’s', async () => {
    const description = { userinfo_endpoint: `${provider.issuer}/me` };
    expect(await signIn({ description, claims: { name: undefined }, userinfo: { sub: 'ada' } })).toMatchObject({
      problem: 'untrusted',
    });
  });
});

describe('claims are bounded: refused are', () => {
  const shown = 'contains characters that cannot be shown';
  const bounded = 'is missing, of another type, or too long';
  test.each<[string, Record<string, unknown>, string]>([
    ['a subject of 256 characters', { sub: 'x'.repeat(256) }, 'sub is not 1 to 255 ASCII characters'],
    ['a subject with a line end', { sub: 'bob\nadmin' }, 'sub is not 1 to 255 ASCII characters'],
    ['a name that is no text', { name: { first: 'Bob' } }, `name ${bounded}`],
    ['a name with a control character', { name: 'Bob\u001b[2J' }, `name ${shown}`],
    ['a name that turns text around', { name: 'Bob\u202egnp' }, `name ${shown}`],
    ['a name of 10,000 characters', { name: 'x'.repeat(10_000) }, `name ${bounded}`],
    ['groups that are no texts', { groups: [1] }, `groups ${bounded}`],
    ['3,000 groups', { groups: Array(3000).fill('g') }, `groups ${bounded}`],
    ['groups that are an object', { groups: { tower: true } }, `groups ${bounded}`],
  ])('%s', async (_, claims, detail) => {
    expect(await signIn({ claims })).toMatchObject({ problem: 'unusable_claims', detail: `the claim ${detail}` });
  });

  test('an answer of a megabyte', async () => {
    expect(await signIn({ claims: { groups: Array(500_000).fill('g') } })).toMatchObject({
      problem: 'unreachable',
      detail: expect.stringContaining('the body exceeds'),
    });
  });

  test('a group that only looks like one in an object’s prototype is none', async () => {
    expect(await signIn({ claims: { groups: undefined } })).toMatchObject({ problem: 'not_allowed' });
    expect(await signIn({ claims: { groups: undefined, ['__proto__']: { groups: ['tower'] } } })).toMatchObject({
      problem: 'not_allowed',
    });
  });

  test('a verified address of the userinfo endpoint does not verify that of the token', async () => {
    sso = new SingleSignOn(
      {
        issuer: provider.issuer,
        clientId: provider.clientId,
        clientSecret: () => CLIENT_SECRET,
        redirectUri: 'http://127.0.0.1:3000/sign-in/oidc/callback',
        groupsClaim: 'roles',
        policy: { admins: oidcEntries('boss@example.org') ?? [], operators: [], viewers: [] },
      },
      options(pino({ level: 'silent' })),
    );
    const description = { userinfo_endpoint: `${provider.issuer}/me` };
    const userinfo = { sub: 'bob', email: 'bob@example.org', email_verified: true };
    expect(await signIn({ description, claims: { email: 'boss@example.org' }, userinfo })).toMatchObject({
      problem: 'not_allowed',
    });
    const verified = { email: 'boss@example.org', email_verified: true };
    expect(await signIn({ description, claims: verified, userinfo })).toMatchObject({ role: 'admin' });
    for (const email_verified of ['true', 1, {}, null])
      expect(await signIn({ description, claims: { ...verified, email_verified }, userinfo })).toMatchObject({
        problem: 'not_allowed',
      });
  });
});

describe('a provider that is not there', () => {
  test('is reported, and found as soon as it is back, without a restart', async () => {
    await provider.stop();
    expect(await sso.isReachable(60_000)).toBe(false);
    expect(await sso.begin('/', false, undefined)).toBeUndefined();
    await provider.start();
    expect(await sso.isReachable(60_000)).toBe(false);
    expect(provider.requests).toEqual([]);
    clockMs += 5000;
    expect(await sso.isReachable(60_000)).toBe(true);
    expect(await signIn()).toMatchObject({ kind: 'signed-in' });
    expect(provider.requests.filter((path) => path.includes('well-known'))).toHaveLength(1);
    expect(log.filter((line) => line.includes('cannot be used'))).toHaveLength(1);
  });

  test('is requested once for all waiting sign-ins', async () => {
    await Promise.all(Array.from({ length: 20 }, () => sso.begin('/', false, undefined)));
    expect(provider.requests).toEqual(['/.well-known/openid-configuration']);
  });

  test('after it was found is still known while it is away, and told when the code cannot be redeemed', async () => {
    expect(await signIn()).toMatchObject({ kind: 'signed-in' });
    const begun = await sso.begin('/', false, undefined);
    await provider.stop();
    clockMs += 2 * 3_600_000;
    expect(await sso.begin('/', false, undefined)).toBeDefined();
    clockMs -= 2 * 3_600_000;
    const query = new URLSearchParams({ code: 'given', state: begun?.url.searchParams.get('state') ?? '' });
    expect(await sso.end(query, begun?.cookie, 'a')).toMatchObject({ problem: 'unreachable' });
    await provider.start();
  });

  test.each<[string, Hostility]>([
    ['another issuer’s', { description: { issuer: 'https://evil.example' } }],
    ['an error', { answers: { '/.well-known/openid-configuration': (response) => response.writeHead(503).end() } }],
    [
      'a redirect to another place',
      {
        answers: {
          '/.well-known/openid-configuration': (response) =>
            response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
        },
      },
    ],
    ['without a place to sign in', { description: { authorization_endpoint: undefined } }],
    ['one that leads into a script', { description: { authorization_endpoint: 'javascript:alert(1)' } }],
    ['one that signs out into a script', { description: { end_session_endpoint: 'javascript:alert(1)' } }],
    [
      'HTML',
      {
        answers: {
          '/.well-known/openid-configuration': (response) =>
            response.writeHead(200, { 'content-type': 'text/html' }).end('<script>alert(1)</script>'),
        },
      },
    ],
    [
      'endless',
      {
        answers: {
          '/.well-known/openid-configuration': (response) => {
            response.writeHead(200, { 'content-type': 'application/json' });
            const more = () => {
              while (!response.destroyed && response.write('x'.repeat(65_536)));
            };
            response.on('drain', more);
            more();
          },
        },
      },
    ],
  ])('is one whose description is %s', async (_, hostility) => {
    provider.hostility = hostility;
    expect(await sso.isReachable(60_000)).toBe(false);
    expect(log.join('')).toContain('cannot be used');
  });

  test('is named as it calls itself where that is not what was set', async () => {
    expect(await singleSignOn(`${provider.issuer}/`).isReachable(60_000)).toBe(false);
    expect(log.join('')).toContain(
      `the provider calls itself \\"${provider.issuer}\\"; set OIDC_ISSUER to exactly that`,
    );
  });

  test('delays the requesting page no longer than documented if it is silent', async () => {
    provider.hostility = { answers: { '/.well-known/openid-configuration': () => {} } };
    expect(await sso.isReachable(1)).toBe(true);
  });
});

test('an endpoint that would take the secret through the network in the clear is not asked', async () => {
  const lan = createServer((_, response) => response.end());
  lan.listen(0, '127.0.0.1');
  await once(lan, 'listening');
  const { port } = lan.address() as AddressInfo;
  const description = { token_endpoint: `http://127.0.0.1.nip.invalid:${port}/token` };
  expect(await signIn({ description })).toMatchObject({
    problem: 'unreachable',
    detail: expect.stringContaining('need https'),
  });
  lan.close();
});
