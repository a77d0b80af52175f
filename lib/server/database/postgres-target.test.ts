import { describe, expect, test } from 'vitest';
import { readPostgresTarget, targetText } from './postgres-target.ts';

const read = (url: string, passwordFile?: string) => readPostgresTarget(url, passwordFile);

describe('DATABASE_URL', () => {
  test.each([
    ['postgres://al@db.example/lookout', { host: 'db.example', port: 5432, user: 'al', tls: true }],
    ['postgresql://al@db.example:6000/lookout?sslmode=disable', { host: 'db.example', port: 6000, tls: false }],
    ['postgres://al@127.0.0.1/lookout', { host: '127.0.0.1', tls: false }],
    ['postgres://al@[::1]:6000/lookout', { host: '::1', port: 6000, tls: false }],
    ['postgres://al@localhost/lookout?sslmode=verify-full&sslrootcert=/ca.pem', { tls: true, rootCertFile: '/ca.pem' }],
    ['postgres:///lookout?host=/run/postgresql&user=al&port=6000', { host: '/run/postgresql', port: 6000, user: 'al' }],
    ['postgres://a%40b:s%2Fx@db.example/look%20out', { user: 'a@b', database: 'look out', password: { value: 's/x' } }],
  ])('%s names a database', (url, target) => {
    expect(read(url)).toMatchObject({ dialect: 'postgres', ...target });
  });

  test('takes its password from a file', () => {
    expect(read('postgres://al@db.example/lookout', '/secret')).toMatchObject({ password: { file: '/secret' } });
  });

  test.each([
    ['mysql://db.example', 'is no address of a PostgreSQL database'],
    ['db.example', 'is no address'],
    ['postgres://db.example/lookout', 'lacks a host, a user'],
    ['postgres:///lookout?user=al', 'lacks a host'],
    ['postgres://al@db.example', 'one database'],
    ['postgres://al@db.example/a/b', 'one database'],
    ['postgres://al:100%@db.example/lookout', '%25'],
    ['postgres://al@db.example/lookout?sslmode=require', 'sslmode=verify-full'],
    ['postgres://al@db.example/lookout?pool=5', 'has pool'],
    ['postgres:///lookout?host=/run&user=al&port=0', 'port'],
  ])('%s is refused with what to write instead', (url, problem) => {
    expect(read(url)).toContain(problem);
  });

  test('refuses both a password and a password file, without repeating the password', () => {
    const problem = read('postgres://al:secret@db.example/lookout', '/secret-file');
    expect(problem).toContain('keep one');
    expect(problem).not.toContain('secret@');
  });

  test('is shown without user and password', () => {
    const target = read('postgres://al:secret@db.example/lookout');
    if (typeof target === 'string') throw new Error(target);
    expect(targetText(target)).toBe('db.example:5432/lookout');
  });
});
