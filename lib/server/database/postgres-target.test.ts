import { userInfo } from 'node:os';
import { describe, expect, test } from 'vitest';
import { postgresName, readPostgresTarget } from './postgres-target.ts';

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
    // Spellings of sockets in libpq, Prisma, Django and Cloud SQL.
    ['postgresql:///lookout?host=/var/run/postgresql', { host: '/var/run/postgresql', user: userInfo().username }],
    ['postgresql://al@%2Fvar%2Frun%2Fpostgresql/lookout', { host: '/var/run/postgresql', port: 5432, user: 'al' }],
    ['postgresql://%2Frun%2Fpostgresql:6000/lookout', { host: '/run/postgresql', port: 6000 }],
    ['postgresql://al@/lookout?host=/run/postgresql/', { host: '/run/postgresql', user: 'al', tls: false }],
    ['postgresql://al:pw@localhost/lookout?host=/run/postgresql', { host: '/run/postgresql', user: 'al' }],
    ['postgresql://al@/lookout?host=/cloudsql/p:europe:i', { host: '/cloudsql/p:europe:i' }],
    ['postgresql:///lookout?host=%2Frun%2Fpostgresql&sslmode=require', { host: '/run/postgresql', tls: false }],
    ['postgresql:///lookout?host=/run/.s.PGSQL.6000&sslmode=verify-full', { host: '/run', port: 6000, tls: false }],
    ['postgresql:///?host=/run/postgresql&dbname=lookout&password=a%26b+c', { password: { value: 'a&b+c' } }],
    ['POSTGRES://al@db.example/lookout?sslrootcert=system', { tls: true, rootCertFile: undefined }],
    ['postgres://al:p#s@x:y%25@db.example/lookout', { host: 'db.example', password: { value: 'p#s@x:y%' } }],
    ['postgres://other@db.example:1/other?user=al&port=6000&dbname=lookout', { port: 6000, database: 'lookout' }],
    ['postgres://al@/lookout?host=::1', { host: '::1', tls: false }],
  ])('%s names a database', (url, target) => {
    expect(read(url)).toMatchObject({ dialect: 'postgres', ...target });
  });

  test('takes its password from a file', () => {
    expect(read('postgres://al@db.example/lookout', '/secret')).toMatchObject({ password: { file: '/secret' } });
  });

  test.each([
    ['mysql://db.example', 'is no address of a PostgreSQL database'],
    ['db.example', 'is no address'],
    ['postgres://db.example/lookout', 'lacks a user'],
    ['postgres:///lookout?user=al', 'lacks a host'],
    ['postgres://al@db.example', 'one database'],
    ['postgres://al@db.example/a/b', 'one database'],
    ['postgres://al@db.example/', 'one database'],
    ['postgres://al:100%@db.example/lookout', '%25'],
    ['postgres://al:s3/cret@db.example/lookout', '%2F'],
    ['postgres://al:s3?cret@db.example/lookout', '%3F'],
    ['postgres://al:12?cret@db.example/lookout', 'a parameter after the ?'],
    ['postgres://al@db.example/lookout?sslmode=require', 'sslmode=verify-full'],
    ['postgres://al@db.example/lookout?pool=5', 'has pool'],
    ['postgres://al@db.example/lookout?passfile=/x', 'DATABASE_PASSWORD_FILE'],
    ['postgres:///lookout?host=/run&user=al&port=0', 'port'],
    ['postgres:///lookout?host=/run&host=/tmp', 'has host twice'],
    ['postgres://al@one.example,two.example/lookout', 'several hosts'],
    ['postgres://al@one.example:5432,two.example:5433/lookout', 'several hosts'],
    ['postgres://al@/lookout?host=one.example,two.example', 'several hosts'],
    ['postgres://al@db.example/lookout?target_session_attrs=read-write', 'which moves to the new primary'],
    ['postgres:///lookout?host=@lookout', 'abstract socket'],
    ['postgres:///lookout?host=run/postgresql', 'must begin with /'],
    [`postgres:///lookout?host=/${'x'.repeat(100)}`, 'more than 107 bytes'],
    ['socket:/run/postgresql?db=lookout', 'host=/run/postgresql&user=USER for a Unix socket'],
    ['/run/postgresql lookout', 'for a Unix socket'],
    ['host=/run/postgresql dbname=lookout', 'for a Unix socket'],
  ])('%s is refused with what to write instead', (url, problem) => {
    expect(read(url)).toContain(problem);
    expect(read(url)).not.toContain('cret');
  });

  test('refuses both a password and a password file, without repeating the password', () => {
    const problem = read('postgres://al:secret@db.example/lookout', '/secret-file');
    expect(problem).toContain('keep one');
    expect(problem).not.toContain('secret@');
  });

  test('is shown without user and password', () => {
    const target = read('postgres://al:secret@db.example/lookout');
    if (typeof target === 'string') throw new Error(target);
    expect(postgresName(target)).toBe('PostgreSQL at db.example:5432/lookout');
  });
});
