import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiKeyFromFile } from '../upstream/api-key.ts';
import { type Config, readConfig } from './config.ts';

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-config-'));
  file = join(folder, 'file');
  writeFileSync(file, 'x');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const embedded = {
  POSITIONS_API_URL: 'http://127.0.0.1:4600/v1',
  POSITIONS_EMBEDDED: '1',
  POSITIONS_API_KEY: 'embedded-key',
};
const real = () => ({
  POSITIONS_API_URL: 'https://positions.example/v1/',
  POSITIONS_API_KEY: 'SECRET-key-7f3a',
});
type Environment = Readonly<Record<string, string | undefined>>;
const read = (environment: Environment) => readConfig(environment as NodeJS.ProcessEnv);

function problems(environment: Environment): readonly string[] {
  const result = read(environment);
  return result.ok ? [] : result.problems;
}

function config(environment: Environment): Config {
  const result = read(environment);
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.config;
}

describe('the port of the metrics', () => {
  const ports = (METRICS_PORT: string, ...PORTS: readonly string[]) =>
    PORTS.map((PORT) => config({ ...embedded, METRICS_PORT, PORT }).metrics.port);

  test('is the same for every server, or follows PORT', () => {
    expect(ports('9464', '3001', '3002')).toEqual([9464, 9464]);
    expect(ports('+6000', '3001', '3002', '3003')).toEqual([9001, 9002, 9003]);
    expect(ports('', '3001')).toEqual([undefined]);
  });

  test.each(['0', '65536', '+0', '-1', '+', '+1.5', '1e3', '+62536'])('%s is refused', (METRICS_PORT) => {
    expect(problems({ ...embedded, METRICS_PORT, PORT: '3000' })).toEqual([
      'METRICS_PORT must be a port from 1 to 65535, or + and a number to add to PORT, such as +6000',
    ]);
  });

  test('is not that of the pages', () => {
    expect(problems({ ...embedded, METRICS_PORT: '3000' })).toEqual([
      'METRICS_PORT is the same as PORT; choose another one',
    ]);
    expect(problems({ ...embedded, METRICS_PORT: '3000', PORT: '3001' })).toEqual([]);
  });
});

test.each([
  ['mailto:security@example.org', true],
  ['https://example.org/security?from=lookout', true],
  ['http://example.org/security', false],
  ['mailto:security', false],
  ['https://example.org/\nExpires: 2099', false],
  ['tel:+41', false],
  ['https://', false],
])('SECURITY_CONTACT=%j is taken: %s', (SECURITY_CONTACT, isTaken) => {
  expect(problems({ ...real(), SECURITY_CONTACT })).toEqual(
    isTaken ? [] : [expect.stringMatching(/^SECURITY_CONTACT must be an address such as mailto:/)],
  );
});

describe('the configuration', () => {
  test('reports all problems at once, each with the name of its setting', () => {
    const found = problems({
      POSITIONS_API_URL: 'ftp://positions.example',
      POSITIONS_API_KEY: 'one key',
      POSITIONS_API_KEY_FILE: '/nowhere/key',
      SESSION_SECRET: 'short',
      MAP_STYLE_URL: 'style.json',
      MAP_STYLE_ORIGINS: 'tiles.example',
      HOME_VIEW: 'Zürich',
      PUBLIC_URL: 'lookout.example',
      TRUSTED_PROXIES: 'nginx, 0.0.0.0/0',
      OUTPUT_PRIVATE_ADDRESSES: 'printer.local',
      SECURITY_CONTACT: 'security@example.org',
    });
    const named = found.map((problem) => problem.split(' ')[0]);
    expect(new Set(named)).toEqual(
      new Set([
        'TRUSTED_PROXIES',
        'OUTPUT_PRIVATE_ADDRESSES',
        'SECURITY_CONTACT',
        'POSITIONS_API_URL',
        'POSITIONS_API_KEY',
        'POSITIONS_API_KEY_FILE',
        'SESSION_SECRET',
        'MAP_STYLE_URL',
        'MAP_STYLE_ORIGINS',
        'HOME_VIEW',
        'PUBLIC_URL',
      ]),
    );
  });

  test('reports for an empty environment what is missing, and what to do', () => {
    expect(problems({}).map((problem) => problem.split(' ')[0])).toEqual(['POSITIONS_API_URL', 'POSITIONS_API_KEY']);
    expect(problems({}).join('\n')).toMatch(/npm start/);
  });

  test('never repeats a key or a secret in a problem', () => {
    const secrets = { POSITIONS_API_KEY: 'SECRET key 7f3a', SESSION_SECRET: 'SECRET' };
    const withUser = { POSITIONS_API_URL: 'https://user:SECRET@positions.example/v1?key=SECRET' };
    expect(problems({ ...secrets, ...withUser }).length).toBeGreaterThanOrEqual(3);
    expect(problems({ ...secrets, ...withUser }).join('\n')).not.toContain('SECRET key');
    expect(problems({ ...secrets, ...withUser }).join('\n')).not.toContain('SECRET@');
  });

  test('other machines reach it by TLS, unless plain HTTP was chosen, and it says what follows from that', () => {
    const reached = { ...real(), HOST: '0.0.0.0' };
    const [problem, ...others] = problems(reached);
    expect(problem).toMatch(/^HOST .*passwords.*sessions.*PUBLIC_URL.*ALLOW_PLAIN_HTTP=1/);
    expect(others).toEqual([]);
    expect(problems({ ...reached, PUBLIC_URL: 'http://lookout.example' })).toEqual([expect.stringMatching(/^HOST /)]);
    expect(config({ ...reached, PUBLIC_URL: 'https://lookout.example' }).plainHttp).toBe(false);
    expect(config({ ...reached, ALLOW_PLAIN_HTTP: '1' }).plainHttp).toBe(true);
    expect(config({ ...real(), ALLOW_PLAIN_HTTP: '1' }).plainHttp).toBe(false);
    expect(problems({ ...reached, ALLOW_PLAIN_HTTP: 'yes' })).toContainEqual(
      expect.stringMatching(/^ALLOW_PLAIN_HTTP /),
    );
    expect(problems({ ...real(), HSTS_SUBDOMAINS: '1' })).toEqual([expect.stringMatching(/^HSTS_SUBDOMAINS /)]);
  });

  test('never throws, whatever is set', () => {
    const names = [
      'POSITIONS_API_URL',
      'MAP_STYLE_URL',
      'MAP_STYLE_ORIGINS',
      'PUBLIC_URL',
      'HOME_VIEW',
      'HOST',
    ] as const;
    const value = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.constantFrom('http://', 'https://[', 'http://:80', 'https://a:99999', 'http://%', '1,2', '91,0,3', ',,', ' '),
    );
    const settings = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
    fc.assert(
      fc.property(settings, (set) => {
        expect(() => read({ ...real(), ...(set as Environment) })).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  test('treats an empty setting as not set', () => {
    const cleared = { POSITIONS_API_KEY_FILE: '', SESSION_SECRET: ' ', MAP_STYLE_URL: '', HOST: '', DATA_DIR: '' };
    expect(config({ ...embedded, ...cleared })).toEqual(config(embedded));
  });
});

describe('fail closed', () => {
  test('a real upstream requires sign-in, wherever Lookout listens', () => {
    expect(config(real()).signInReason).toBe('a real upstream needs operators to sign in');
  });

  test('the embedded service requires sign-in except on loopback', () => {
    for (const HOST of [undefined, '127.0.0.1', 'localhost', '::1'])
      expect(config({ ...embedded, HOST }).signInReason).toBeUndefined();
    for (const HOST of ['0.0.0.0', '::', '192.0.2.7', 'lookout.example', '127.0.0.1.evil.example'])
      expect(config({ ...embedded, HOST, ALLOW_PLAIN_HTTP: '1' }).signInReason).toBe(
        `HOST=${HOST} can be reached from other machines`,
      );
  });

  test('the embedded service behind a proxy requires sign-in, by the address that operators use', () => {
    expect(config({ ...embedded, PUBLIC_URL: 'https://lookout.example' }).signInReason).toBe(
      'PUBLIC_URL=https://lookout.example can be reached from other machines',
    );
    expect(config({ ...embedded, PUBLIC_URL: 'https://localhost:8443' }).signInReason).toBeUndefined();
  });

  test('a real upstream cannot be declared embedded', () => {
    const declared = { ...embedded, POSITIONS_API_URL: 'https://positions.example/v1' };
    expect(problems(declared)).toEqual([expect.stringMatching(/^POSITIONS_EMBEDDED /)]);
  });

  test('only the embedded service may be without an allowance', () => {
    expect(config({ ...embedded, POSITIONS_ALLOWANCE: 'none' }).upstream.hasAllowance).toBe(false);
    expect(config(embedded).upstream.hasAllowance).toBe(true);
    for (const declared of [
      { ...real(), POSITIONS_ALLOWANCE: 'none' },
      { ...embedded, POSITIONS_ALLOWANCE: '600' },
    ])
      expect(problems(declared)).toEqual([expect.stringMatching(/^POSITIONS_ALLOWANCE /)]);
  });

  test('the key is never sent over a network in the clear', () => {
    expect(problems({ ...real(), POSITIONS_API_URL: 'http://positions.example/v1' })).toEqual([
      expect.stringMatching(/https/),
    ]);
    expect(problems({ ...real(), POSITIONS_API_URL: 'http://localhost:4600/v1' })).toEqual([]);
  });

  test('the socket of a service with receivers is given by its whole path', () => {
    expect(problems({ ...real(), RECEIVERS_SOCKET: 'data/status.sock' })).toEqual([
      expect.stringMatching(/RECEIVERS_SOCKET must be the whole path/),
    ]);
    expect(problems({ ...real(), RECEIVERS_SOCKET: '/var/lib/positions/status.sock' })).toEqual([]);
  });

  test.each(['https://u:p@x.example', 'https://x.example/v1?key=1', 'https://x.example/#k'])(
    'an upstream address with user, query or fragment is refused: %s',
    (POSITIONS_API_URL) => {
      expect(problems({ ...real(), POSITIONS_API_URL })).toEqual([expect.stringMatching(/address alone/)]);
    },
  );

  test.each(['R X', '-RX', '=RX', 'R;X', 'R\u202EX', 'P'.repeat(33)])(
    'refuses %j as the prefix of references, which reach files and spreadsheets',
    (POSITIONS_TRACK_PREFIX) => {
      expect(problems({ ...real(), POSITIONS_TRACK_PREFIX })).toEqual([
        expect.stringMatching(/^POSITIONS_TRACK_PREFIX must be/),
      ]);
    },
  );

  test.each(['two words', 'line\nline', 'schlüssel', 'nul\u0000'])(
    '%j is refused as a bearer key',
    (POSITIONS_API_KEY) => {
      const found = problems({ ...real(), POSITIONS_API_KEY });
      expect(found).toEqual([expect.stringMatching(/^POSITIONS_API_KEY /)]);
      expect(found.join()).not.toContain(POSITIONS_API_KEY);
    },
  );
});

describe('the parsed configuration', () => {
  test('the base address has no trailing slash, and the key comes from the setting or the file', () => {
    expect(config(real()).upstream).toMatchObject({
      baseUrl: 'https://positions.example/v1',
      embedded: false,
      key: { value: 'SECRET-key-7f3a' },
    });
    const { POSITIONS_API_KEY, ...rest } = real();
    expect(POSITIONS_API_KEY).toBeDefined();
    expect(config({ ...rest, POSITIONS_API_KEY_FILE: file }).upstream.key).toEqual({ file });
  });

  test('TLS is on exactly where PUBLIC_URL is https', () => {
    expect(config({ ...real(), PUBLIC_URL: 'https://lookout.example/map' })).toMatchObject({
      tls: true,
      publicOrigin: 'https://lookout.example',
    });
    expect(config({ ...real(), PUBLIC_URL: 'http://lookout.example' }).tls).toBe(false);
    expect(config(real())).toMatchObject({ tls: false, publicOrigin: undefined });
  });

  test('the style’s own origin is always among the allowed origins', () => {
    const style = {
      MAP_STYLE_URL: 'https://maps.example/style.json',
      MAP_STYLE_ORIGINS: 'https://a.example, https://b.example',
    };
    expect(config({ ...real(), ...style }).mapStyle?.origins).toEqual([
      'https://maps.example',
      'https://a.example',
      'https://b.example',
    ]);
  });

  test('the source of street maps is Protomaps, another archive, or off', () => {
    const source = (text?: string) =>
      config({ ...real(), ...(text !== undefined && { MAP_SOURCE_URL: text }) }).mapSource;
    expect(source()).toBe('https://build.protomaps.com/YYYYMMDD.pmtiles');
    expect(source('http://maps.local/world.pmtiles')).toBe('http://maps.local/world.pmtiles');
    expect(source('off')).toBeUndefined();
    for (const wrong of ['maps.local', 'file:///maps/world.pmtiles', 'https://name:word@maps.local/world.pmtiles'])
      expect(() => source(wrong), wrong).toThrow();
  });
});

describe('passkeys', () => {
  test('are required only where they can be used, and of operators of the file', () => {
    expect(config({ ...real(), REQUIRE_PASSKEYS: '1', PUBLIC_URL: 'https://lookout.example' })).toMatchObject({
      requirePasskeys: true,
      relyingParty: { id: 'lookout.example' },
    });
    expect(config({ ...real(), PORT: '4000' })).toMatchObject({
      requirePasskeys: false,
      relyingParty: { id: 'localhost', origin: 'http://localhost:4000' },
    });
    for (const [settings, words] of [
      [{ ...real(), PUBLIC_URL: 'http://127.0.0.1:3000' }, 'the name is localhost'],
      [{ ...real(), REQUIRE_PASSKEYS: 'yes' }, 'must be 1'],
    ] as const)
      expect(problems({ REQUIRE_PASSKEYS: '1', ...settings })).toEqual([
        expect.stringMatching(new RegExp(`^REQUIRE_PASSKEYS .*${words}`)),
      ]);
  });
});

describe('the database', () => {
  test('is a file in DATA_DIR, or the PostgreSQL of DATABASE_URL', () => {
    expect(config({ ...embedded, DATA_DIR: '/data' }).database).toEqual({
      dialect: 'sqlite',
      file: '/data/lookout.sqlite',
    });
    const url = { DATABASE_URL: 'postgres://al@db.example/lookout', DATABASE_PASSWORD_FILE: file };
    expect(config({ ...embedded, ...url }).database).toMatchObject({ dialect: 'postgres', password: { file } });
  });

  test('is refused where its settings are wrong', () => {
    expect(problems({ ...embedded, DATABASE_URL: 'mysql://db' })).toEqual([expect.stringMatching(/^DATABASE_URL /)]);
    expect(problems({ ...embedded, DATABASE_PASSWORD_FILE: file })).toEqual([
      'DATABASE_PASSWORD_FILE has no effect without DATABASE_URL; set both or none',
    ]);
    const url = { DATABASE_URL: 'postgres://al@db.example/lookout', DATABASE_PASSWORD_FILE: '/nowhere/password' };
    expect(problems({ ...embedded, ...url })).toEqual([expect.stringMatching(/^DATABASE_PASSWORD_FILE .*nowhere/)]);
  });
});

describe('single sign-on', () => {
  const oidc = () => ({
    ...real(),
    OIDC_ISSUER: 'https://id.example/realms/x',
    OIDC_CLIENT_ID: 'lookout',
    OIDC_CLIENT_SECRET_FILE: file,
    OIDC_ALLOW: 'tower, @example.org',
    PUBLIC_URL: 'https://lookout.example/',
  });

  test('is read whole', () => {
    expect(config(oidc()).oidc).toEqual({
      issuer: 'https://id.example/realms/x',
      clientId: 'lookout',
      clientSecretFile: file,
      redirectUri: 'https://lookout.example/sign-in/oidc/callback',
      groupsClaim: 'groups',
      policy: {
        admins: [],
        operators: [
          { kind: 'group', name: 'tower' },
          { kind: 'domain', domain: 'example.org' },
        ],
        viewers: [],
      },
    });
    expect(
      config({ ...embedded, HOST: '0.0.0.0', ...oidc(), POSITIONS_API_URL: embedded.POSITIONS_API_URL }).oidc,
    ).toBeDefined();
    expect(config(real()).oidc).toBeUndefined();
  });

  test('reports all that it lacks at once', () => {
    const found = problems({ ...real(), OIDC_ISSUER: 'https://id.example' });
    expect(found.map((problem) => problem.split(' ')[0])).toEqual([
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET_FILE',
      'OIDC_ALLOW',
      'PUBLIC_URL',
    ]);
  });

  test('settings of it without an issuer are not ignored silently', () => {
    expect(problems({ ...oidc(), OIDC_ISSUER: '' }).map((problem) => problem.split(' ')[0])).toEqual([
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET_FILE',
      'OIDC_ALLOW',
    ]);
  });

  test.each([
    'http://id.example',
    'id.example',
    'https://user:pw@id.example',
    'https://id.example/?tenant=1',
    'https://id.example/#x',
    'https://id.example/.well-known/openid-configuration',
    'javascript:alert(1)',
  ])('the issuer %s is refused', (issuer) => {
    expect(problems({ ...oidc(), OIDC_ISSUER: issuer })).toEqual([
      expect.stringMatching(/^OIDC_ISSUER must be the issuer/),
    ]);
  });

  test('a provider on this machine may be without TLS', () => {
    expect(config({ ...oidc(), OIDC_ISSUER: 'http://127.0.0.1:8080/' }).oidc?.issuer).toBe('http://127.0.0.1:8080/');
  });

  test.each([
    ['OIDC_ALLOW', 'bob@'],
    ['OIDC_ADMIN', 'group:'],
    ['OIDC_VIEWER', '@'],
  ])('%s=%s is refused with what to write', (name, value) => {
    expect(problems({ ...oidc(), [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name} must be groups, addresses such as`)),
    ]);
  });

  test('a group whose name has commas is in double quotes', () => {
    const group = 'CN=Tower,OU=Field,DC=example,DC=org';
    expect(config({ ...oidc(), OIDC_ALLOW: `"${group}", tower` }).oidc?.policy.operators).toEqual([
      { kind: 'group', name: group },
      { kind: 'group', name: 'tower' },
    ]);
    expect(problems({ ...oidc(), OIDC_ADMIN: group, OIDC_VIEWER: '"tower' })).toEqual([
      expect.stringMatching(/^OIDC_ADMIN has a distinguished name that is cut.*'"CN=Tower,OU=Field"/),
      expect.stringMatching(/^OIDC_VIEWER has a double quote/),
    ]);
  });

  test('a secret file may have a byte order mark and end its line', () => {
    const windows = join(folder, 'windows');
    writeFileSync(windows, '\ufeffa+b~\r\n');
    expect(problems({ ...oidc(), OIDC_CLIENT_SECRET_FILE: windows })).toEqual([]);
    expect(apiKeyFromFile(windows).current().value).toBe('a+b~');
  });

  test('a secret that no header can carry is refused, and not shown', () => {
    const spaced = join(folder, 'spaced');
    writeFileSync(spaced, 'half a secret');
    const found = problems({ ...oidc(), OIDC_CLIENT_SECRET_FILE: spaced });
    expect(found).toEqual([expect.stringMatching(/^OIDC_CLIENT_SECRET_FILE names .* must contain the secret alone/)]);
    expect(found.join()).not.toContain('half a');
  });
});
