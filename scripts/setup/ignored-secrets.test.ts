import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { describe, expect, test } from 'vitest';

/** Where documentation or defaults put secrets and operators' data. */
const SECRETS = [
  ...['key', 'config/key', 'metrics-token', 'client-secret', 'club-password', 'club-key', 'database-password'],
  ...['feeds.json', '.pgpass', '.env', '.env.local', 'lookout.env', 'tls.key', 'privkey.pem', 'fullchain.pem'],
  ...[
    'deploy/secrets/lookout.env',
    'deploy/secrets/key',
    'deploy/secrets/database-password',
    'deploy/secrets/lookout.key',
    'deploy/secrets/lookout.crt',
  ],
  ...['deploy/lookout.env', 'deploy/key', 'deploy/lookout.key', 'deploy/lookout.crt'],
  ...['data/sessions.sqlite', 'data/session-secret', 'deploy/data/session-secret', 'data/receivers/reference-secret'],
  ...['data/receivers/past/segments/20261123/adsb-20261123T032000Z.segment', 'accounts.sqlite', 'audit.sqlite-wal'],
  ...['backup-1/session-secret', 'copy/accounts.sqlite', 'copy/reference-secret', 'copy/lookout.dump'],
  ...['lib/key', 'scripts/lookout.key', 'service/data/reference-secret'],
];

function namedInDocs(): readonly string[] {
  const files = [
    'README.md',
    ...['docs', 'deploy'].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`)),
  ];
  const text = files
    .filter((file) => /\.(md|ya?ml|conf|service)$|Containerfile$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const patterns = [
    /[A-Z]+_(?:KEY|SECRET|TOKEN|PASSWORD|OPERATORS)?_?FILE[=:] ?([^\s`,;]+)/g,
    /"(?:password_file|key_file|ca_file)": ?"([^"]+)"/g,
    /(?:echo|openssl|printf)[^\n|`]* > ([\w./-]+)/g,
    /install -m \d+ (?:-g \w+ )?([\w./-]+) /g,
    /ssl_certificate(?:_key)? ([^;]+);/g,
    /env_file: ([\w./-]+)/g,
  ];
  return [...new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name)))];
}

const documented = namedInDocs()
  .filter((name) => !/^MAP_|pmtiles$|\.example$/.test(name))
  .map((name) => (name.startsWith('/') ? basename(name) : name));

const containers = dockerignore({ ignorecase: false }).add(readFileSync('.containerignore', 'utf8'));
const tracked = spawnSync('git', ['ls-files'], { encoding: 'utf8' }).stdout.trim().split('\n');

test('the documentation names secrets, and this test finds them', () => {
  expect(documented).toEqual(
    expect.arrayContaining(['key', 'metrics-token', 'client-secret', 'privkey.pem', 'lookout.key']),
  );
});

test.each([...new Set([...SECRETS, ...documented])])('%s reaches neither git nor a container build', (path) => {
  const { status } = spawnSync('git', ['check-ignore', '--quiet', '--no-index', path]);
  expect(status).toBe(0);
  expect(containers.ignores(path)).toBe(true);
});

describe('a container build', () => {
  test('gets what a release is made from, and nothing else', () => {
    const sent = containers.filter(tracked);
    const sources = tracked.filter((path) => /^(app|components|lib|scripts|service|deploy|docs|ops)\//.test(path));
    expect(sent).toEqual(expect.arrayContaining([...sources, 'package.json', 'package-lock.json', 'next.config.mjs']));
    expect(sent.filter((path) => /^(e2e|bench|testing)\//.test(path))).toEqual([]);
    expect(containers.filter(['a-file-of-an-operator', 'folder/secret.txt', '.git/config', 'node_modules/x'])).toEqual(
      [],
    );
  });

  test('by Docker gets the same as one by Podman', () => {
    expect(readFileSync('.dockerignore', 'utf8')).toBe(readFileSync('.containerignore', 'utf8'));
  });
});

test('git ignores nothing that it keeps', () => {
  const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '--stdin'], {
    input: tracked.join('\n'),
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
});
