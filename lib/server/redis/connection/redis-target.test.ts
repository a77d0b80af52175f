import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { currentPassword, type RedisSettings, readRedisTarget, targetText } from './redis-target.ts';

const SENTINELS = 'a.example,b.example:26380, c.example';

function target(settings: RedisSettings) {
  const result = readRedisTarget(settings);
  if (!('target' in result) || result.target === undefined) throw new Error(JSON.stringify(result));
  return result.target;
}

function problems(settings: RedisSettings): string[] {
  const result = readRedisTarget(settings);
  return 'problems' in result ? result.problems.map(([setting, problem]) => `${setting} ${problem}`) : [];
}

function passwordFile(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'lookout-redis-')), 'password');
  writeFileSync(file, text);
  return file;
}

test('without an address there is no shared store', () => {
  expect(readRedisTarget({})).toEqual({ target: undefined });
});

test.each([
  [
    'redis://store.example',
    { at: { host: 'store.example', port: 6379 }, database: 0, tls: false, password: undefined },
  ],
  ['rediss://store.example:6380/3', { at: { host: 'store.example', port: 6380 }, database: 3, tls: true }],
  ['redis://[::1]:7000/', { at: { host: '::1', port: 7000 }, database: 0 }],
  ['redis://ops:p%40ss@store.example', { user: 'ops', password: { value: 'p@ss' } }],
  ['redis://:secret@store.example', { user: undefined, password: { value: 'secret' } }],
])('%s', (url, expected) => {
  expect(target({ REDIS_URL: url })).toMatchObject(expected);
});

test('with Sentinels the host is the name of the group', () => {
  const { at } = target({ REDIS_URL: 'redis://MyMaster/1', REDIS_SENTINELS: SENTINELS });
  expect(at).toEqual({
    group: 'MyMaster',
    sentinels: [
      { host: 'a.example', port: 26_379 },
      { host: 'b.example', port: 26_380 },
      { host: 'c.example', port: 26_379 },
    ],
  });
});

test('the password is read from its file each time', () => {
  const file = passwordFile('first\n');
  const read = target({ REDIS_URL: 'redis://ops@store.example', REDIS_PASSWORD_FILE: file });
  expect(currentPassword(read)).toBe('first');
  writeFileSync(file, 'second\n');
  expect(currentPassword(read)).toBe('second');
});

describe('what is wrong is said all at once, with what to write instead', () => {
  test.each<[RedisSettings, string[]]>([
    [{ REDIS_SENTINELS: SENTINELS }, ['REDIS_SENTINELS has no effect without REDIS_URL; set both or none']],
    [{ REDIS_URL: 'store.example:6379' }, ['REDIS_URL is no address']],
    [{ REDIS_URL: 'http://store.example' }, ['REDIS_URL is no address']],
    [{ REDIS_URL: 'redis:///0' }, ['REDIS_URL is no address']],
    [{ REDIS_URL: 'redis://store.example/16' }, ['REDIS_URL must end with the number of a database']],
    [{ REDIS_URL: 'redis://store.example/0?tls=1' }, ['REDIS_URL has a query']],
    [{ REDIS_URL: 'redis://ops@store.example' }, ['REDIS_URL names a user without a password']],
    [{ REDIS_URL: 'redis://:p%ss@store.example' }, ['REDIS_URL has a % that begins no code']],
    [
      { REDIS_URL: 'redis://store.example', REDIS_PASSWORD_FILE: '/nowhere/at/all' },
      ['REDIS_PASSWORD_FILE names /nowhere/at/all, which cannot be read (ENOENT)'],
    ],
    [{ REDIS_URL: 'redis://group', REDIS_SENTINELS: 'a,b' }, ['REDIS_SENTINELS must name all Sentinels, at least 3']],
    [{ REDIS_URL: 'redis://group', REDIS_SENTINELS: 'a,a,a' }, ['REDIS_SENTINELS must name all Sentinels, at least 3']],
    [
      { REDIS_URL: 'redis://group:6379/99', REDIS_SENTINELS: 'a,b:x,c' },
      ['REDIS_URL must end with', 'REDIS_SENTINELS must be addresses', 'REDIS_URL names a port'],
    ],
  ])('%j', (settings, expected) => {
    const found = problems(settings);
    expect(found).toHaveLength(expected.length);
    for (const [index, text] of expected.entries()) expect(found[index]).toContain(text);
  });

  test('a password is in one place', () => {
    const file = passwordFile('secret');
    expect(problems({ REDIS_URL: 'redis://:hunter2@store', REDIS_PASSWORD_FILE: file })[0]).toContain(
      'keep one of them',
    );
    expect(problems({ REDIS_URL: 'redis://store', REDIS_PASSWORD_FILE: passwordFile(' \n') })[0]).toContain('alone');
  });

  test('no password is repeated, in a message or in a log', () => {
    for (const url of [
      'redis://:hunter2@',
      'redis://:hunter2@store/99',
      'hunter2',
      'redis://ops:hunter2@store:99999',
    ]) {
      expect(problems({ REDIS_URL: url }).join()).not.toBe('');
      expect(problems({ REDIS_URL: url }).join()).not.toContain('hunter2');
    }
    expect(targetText(target({ REDIS_URL: 'redis://ops:hunter2@store' }))).toBe('store:6379, database 0');
  });
});
