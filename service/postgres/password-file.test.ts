import { expect, test } from 'vitest';
import { passwordOf } from './password-file.ts';
import type { PostgresTarget } from './postgres-target.ts';

const TARGET: PostgresTarget = {
  host: 'db.example',
  port: 5432,
  database: 'lookout',
  user: 'ops',
  tls: 'verify',
  rootCertFile: undefined,
};

test.each([
  ['db.example:5432:lookout:ops:secret', 'secret'],
  ['*:*:*:*:secret\n', 'secret'],
  ['# *:*:*:*:no\r\n*:*:lookout:ops:secret\r\n', 'secret'],
  ['*:*:other:*:no\n*:*:*:ops:first\n*:*:*:*:second', 'first'],
  ['*:*:*:ops:with\\:colon\\\\ and * :)', 'with:colon\\ and * :)'],
  ['*:*:*:ops:', ''],
  ['*:*:*:ops', undefined],
  ['*:5433:*:*:no', undefined],
  ['localhost:*:*:*:no', undefined],
  ['', undefined],
])('%j', (text, password) => {
  expect(passwordOf(text, TARGET, 'ops')).toBe(password);
});

test('a Unix socket goes by its folder, or as localhost; a host with colons is written with backslashes', () => {
  const socket = { ...TARGET, host: '/run/postgresql' };
  expect(passwordOf('/run/postgresql:5432:*:*:a', socket, 'ops')).toBe('a');
  expect(passwordOf('localhost:*:*:*:b', socket, 'ops')).toBe('b');
  expect(passwordOf('\\:\\:1:*:*:*:c', { ...TARGET, host: '::1' }, 'ops')).toBe('c');
});
