import { expect, test } from 'vitest';
import { readPostgresTarget } from './postgres-target.ts';

test.each([
  ['postgres://lookout@db.example:6432/positions', { host: 'db.example', port: 6432, user: 'lookout', tls: 'verify' }],
  ['postgresql://db/positions', { host: 'db', port: 5432, user: undefined, tls: 'verify' }],
  ['postgres://localhost/positions', { host: 'localhost', tls: 'off' }],
  ['postgres://127.0.0.1/positions', { tls: 'off' }],
  ['postgres://[::1]:5433/positions', { host: '::1', port: 5433, tls: 'off' }],
  ['postgres:///positions?host=/run/postgresql&user=a', { host: '/run/postgresql', user: 'a', tls: 'off' }],
  [
    'postgres://localhost/positions?sslmode=verify-full&sslrootcert=/ca.pem',
    { tls: 'verify', rootCertFile: '/ca.pem' },
  ],
  ['postgres://db/positions?sslmode=disable', { tls: 'off' }],
])('%s', (text, target) => {
  expect(readPostgresTarget(text)).toMatchObject({ database: 'positions', ...target });
});

test.each([
  ['localhost/positions', 'write postgres://'],
  ['mysql://localhost/positions', 'write postgres://'],
  ['postgres:///positions', 'name a host'],
  ['postgres://localhost/positions?port=x', 'write a port'],
  ['postgres://localhost', 'name one database'],
  ['postgres://localhost/a/b', 'name one database'],
  ['postgres://localhost/%', 'write % in names as %25'],
  ['postgres://db/positions?sslmode=require', 'write sslmode=verify-full'],
  ['postgres://db/positions?options=-c', 'leave options out'],
])('%s is refused', (text, instead) => {
  expect(() => readPostgresTarget(text)).toThrow(instead);
});

test('a password is refused, and not repeated', () => {
  const read = () => readPostgresTarget('postgres://lookout:hunter2@db/positions');
  expect(read).toThrow('PGPASSFILE');
  expect(read).not.toThrow('hunter2');
});
