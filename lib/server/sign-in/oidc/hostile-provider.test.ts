import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NAME_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import { localInstant } from '#lib/time/instant.ts';
import type { Database } from '../../database/database.ts';
import { memoryDatabase } from '../../database/memory-database.fixture.ts';
import { ShortLived } from '../short-lived.ts';
import { Tallies } from '../sign-in-throttle.ts';
import { HostileProvider, type Hostility } from './hostile-provider.fixture.ts';
import { entries } from './oidc-policy.fixture.ts';
import { SingleSignOn } from './single-sign-on.ts';

const CLIENT_SECRET = 'known-to.both_~';
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

function singleSignOn(issuer: string, clientSecret = CLIENT_SECRET): SingleSignOn {
  return new SingleSignOn(
    {
      issuer,
      clientId: provider.clientId,
      clientSecret: () => clientSecret,
      redirectUri: 'http://127.0.0.1:3000/sign-in/oidc/callback',
      groupsClaim: 'groups',
      policy: { admins: [], operators: entries('tower'), viewers: [] },
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

describe('of the claims', () => {
  test.each<[string, unknown]>([
    ['of 256 characters', 'x'.repeat(256)],
    ['with a line end', 'bob\nadmin'],
    ['in other scripts', 'böb'],
  ])('a subject %s is refused', async (_, sub) => {
    expect(await signIn({ claims: { sub } })).toMatchObject({
      problem: 'unusable_claims',
      detail: 'the claim sub is not 1 to 255 ASCII characters',
    });
  });

  test.each<[string, Record<string, unknown>, readonly string[], Record<string, unknown>]>([
    ['an empty name', { name: '' }, ['name (empty)'], { name: 'bob' }],
    ['a name that is null', { name: null }, ['name (empty)'], { name: 'bob' }],
    ['a blank name', { name: ' \t\u200b\u3164' }, ['name (empty)'], { name: 'bob' }],
    ['a name that is an object', { name: { first: 'Bob' } }, ['name (an object)'], { name: 'bob' }],
    [
      'a name with a control character',
      { name: 'Bob\u001b[2J', preferred_username: 'Bob.Smith@EXAMPLE.org' },
      ['name (characters that cannot be shown)'],
      { name: 'Bob.Smith@EXAMPLE.org' },
    ],
    [
      'a name that turns text around',
      { name: 'Bob\u202egnp', preferred_username: 7, email: 'bob@example.org', email_verified: true },
      ['name (characters that cannot be shown)', 'preferred_username (a number)'],
      { name: 'bob@example.org', verifiedAddress: 'bob@example.org' },
    ],
    ['an email that is null', { email: null, email_verified: null }, ['email (empty)'], { verifiedAddress: undefined }],
    ['an empty email', { email: '', email_verified: true }, ['email (empty)'], { verifiedAddress: undefined }],
    [
      'a list of emails',
      { email: ['bob@example.org'], email_verified: true },
      ['email (a list)'],
      { verifiedAddress: undefined },
    ],
    [
      'an email in another script',
      { email: 'böb@example.org', email_verified: true },
      ['email (not an address in ASCII)'],
      { verifiedAddress: undefined },
    ],
    [
      'email_verified as a text',
      { email: 'bob@example.org', email_verified: 'true' },
      ['email_verified (a text in place of true or false)'],
      { verifiedAddress: undefined },
    ],
    [
      'one odd group of several',
      { groups: ['tower', null, 7, { name: 'chiefs' }, '', 'chi\u202eefs'] },
      [
        'groups (2 of 6 entries: empty, 1 of 6 entries: a number, 1 of 6 entries: an object, 1 of 6 entries: characters that cannot be shown)',
      ],
      { groups: ['tower'] },
    ],
  ])('%s counts as not sent, and is named', async (_, claims, leftOut, person) => {
    expect(await signIn({ claims })).toMatchObject({ kind: 'signed-in', role: 'operator', leftOut, person });
  });

  test.each<[string, unknown, string]>([
    ['null', null, 'empty'],
    ['empty', '', 'empty'],
    ['an empty list', [], 'empty'],
    ['an empty object', {}, 'empty'],
    ['a list of nothing', [null, ''], '2 of 2 entries: empty'],
    ['an object with the name', { tower: true }, 'an object'],
    ['a list in a list', [['tower']], '1 of 1 entries: a list'],
    ['objects with the name', [{ name: 'tower' }], '1 of 1 entries: an object'],
    ['true', true, 'true or false'],
    ['a name with a line end', 'tower\n', 'characters that cannot be shown'],
  ])('groups that are %s grant nothing, and the log names them', async (_, groups, oddity) => {
    expect(await signIn({ claims: { groups } })).toMatchObject({
      kind: 'failed',
      problem: 'not_allowed',
      detail: `in none of the lists; left out: groups (${oddity})`,
    });
  });

  test('long names are cut, and any number of groups counts', async () => {
    const groups = [...Array.from({ length: 3000 }, (_, index) => `g${index}`), 'x'.repeat(5000), 'tower'];
    expect(await signIn({ claims: { name: 'x'.repeat(10_000), groups } })).toMatchObject({
      kind: 'signed-in',
      leftOut: [],
      person: { name: `${'x'.repeat(NAME_MAX_LENGTH - 1)}…` },
    });
  });

  test('an address that is not verified is named where it would have counted', async () => {
    for (const email_verified of [undefined, false])
      expect(await signIn({ claims: { email: 'bob@example.org', email_verified, groups: [] } })).toMatchObject({
        problem: 'not_allowed',
        detail: 'in none of the lists; the address is not verified; left out: groups (empty)',
      });
  });

  test.each<[string, Record<string, unknown>]>([
    [
      'by distributed claims',
      { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://x' } } },
    ],
    ['by hasgroups', { hasgroups: true }],
  ])('groups that the provider refers to %s are reported as missing', async (_, claims) => {
    expect(await signIn({ claims: { groups: undefined, ...claims } })).toMatchObject({
      problem: 'groups_not_sent',
      detail: 'in none of the lists; left out: groups (too many: the provider sends a reference to them)',
    });
    expect(await signIn({ claims })).toMatchObject({ kind: 'signed-in', leftOut: [] });
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
        policy: { admins: entries('boss@example.org'), operators: [], viewers: [] },
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

describe('a provider that compares the secret without decoding it', () => {
  const strict = (secret: string): Hostility => ({
    answers: {
      '/token': (response, { headers }) => {
        const isRight = headers.authorization === `Basic ${btoa(`lookout:${secret}`)}`;
        response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isRight ? provider.tokens() : { error: 'invalid_client' }));
      },
    },
  });

  test('accepts letters, digits and -._~', async () => {
    expect(await signIn(strict(CLIENT_SECRET))).toMatchObject({ kind: 'signed-in' });
  });

  test('refuses others, and the log says what may be wrong', async () => {
    sso = singleSignOn(provider.issuer, 'a+b/c==');
    const refused = await signIn(strict('a+b/c=='));
    expect(refused).toMatchObject({
      problem: 'provider_error',
      detail: expect.stringMatching(/refused OIDC_CLIENT_ID and its secret.*the secret has characters.*sent encoded/),
    });
    expect(JSON.stringify(refused)).not.toMatch(/a\+b|a%2B/);
  });
});

test.each<[number, string, string]>([
  [400, 'unreachable', 'it answered 400'],
  [401, 'provider_error', 'the provider refused OIDC_CLIENT_ID and its secret'],
  [403, 'unreachable', 'it answered 403'],
  [502, 'unreachable', 'it answered 502'],
])('a token endpoint that answers %i with a page is named as such', async (status, problem, detail) => {
  const page = (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>No</h1>');
  expect(await signIn({ answers: { '/token': page } })).toMatchObject({
    problem,
    detail: expect.stringContaining(detail),
  });
});

describe('the userinfo endpoint', () => {
  const thin = { name: undefined, groups: undefined };
  const me = { sub: 'bob', name: 'Bob', groups: ['tower'] };
  const withEndpoint = (hostility: Hostility): Hostility => ({
    ...hostility,
    description: { userinfo_endpoint: `${provider.issuer}/me`, ...hostility.description },
  });
  const answering = (status: number, headers: Record<string, string> = {}) => ({
    answers: { '/me': (response: ServerResponse) => response.writeHead(status, headers).end() },
  });

  test('adds what the token lacks or has empty, and takes nothing away', async () => {
    const claims = { name: null, groups: [], email: 'bob@example.org' };
    const userinfo = { ...me, email: 'Bob@Example.org', email_verified: true };
    expect(await signIn(withEndpoint({ claims, userinfo }))).toMatchObject({
      kind: 'signed-in',
      person: { name: 'Bob', verifiedAddress: 'bob@example.org' },
      leftOut: ['name (empty)', 'groups (empty)'],
    });
    const denied = { ...claims, email_verified: false };
    expect(await signIn(withEndpoint({ claims: denied, userinfo }))).toMatchObject({
      person: { verifiedAddress: undefined },
    });
  });

  test.each([302, 400, 401, 403, 404])('that answers %i adds nothing, and the log says so', async (status) => {
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope"', location: '/elsewhere' };
    const userinfo = answering(status, headers);
    expect(await signIn(withEndpoint({ claims: { name: undefined }, ...userinfo }))).toMatchObject({
      kind: 'signed-in',
      leftOut: [`userinfo (answered ${status})`],
    });
    expect(await signIn(withEndpoint({ claims: thin, ...userinfo }))).toMatchObject({
      problem: 'not_allowed',
      detail: `in none of the lists; left out: userinfo (answered ${status})`,
    });
  });

  test.each([429, 500, 503])(
    'that answers %i may have granted more: the sign-in has to be repeated',
    async (status) => {
      expect(await signIn(withEndpoint({ claims: { name: undefined }, ...answering(status) }))).toMatchObject({
        problem: 'unreachable',
      });
    },
  );

  test('may sign its answer, with a key and an algorithm of the provider', async () => {
    const signed = (claims: Record<string, unknown>, header = {}): Hostility => ({
      claims: thin,
      description: { userinfo_signing_alg_values_supported: ['ES256'] },
      answers: {
        '/me': (response) => {
          response.setHeader('content-type', 'application/jwt');
          response.end(provider.signed({ iss: provider.issuer, aud: 'lookout', ...claims }, header));
        },
      },
    });
    expect(await signIn(withEndpoint(signed(me)))).toMatchObject({ kind: 'signed-in', person: { name: 'Bob' } });
    for (const [claims, header] of [
      [{ ...me, sub: 'ada' }, {}],
      [{ ...me, aud: 'another' }, {}],
      [{ ...me, iss: 'https://evil.example' }, {}],
      [me, { alg: 'none' }],
      [me, { alg: 'HS256' }],
    ] as const)
      expect(await signIn(withEndpoint(signed(claims, header)))).toMatchObject({ problem: 'untrusted' });
    expect(
      await signIn(withEndpoint({ ...signed(me), signature: (text) => Buffer.from(text).toString('base64url') })),
    ).toMatchObject({ problem: 'untrusted' });
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
