import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { digest, type SessionOrigin, SessionRegistry, type SignedInBy } from './session-registry.ts';

const by = (operatorId: string): SignedInBy => ({ source: 'password', operatorId, credential: 'hash' });
const desk: SessionOrigin = { browser: 'Firefox on Linux', address: '192.0.2.7', isKept: false };

let nowMs: number;
let registry: SessionRegistry;
const open = (operatorId: string, origin = desk) => registry.open(by(operatorId), origin);
/** The key of the session with this id. */
const keyOf = (id: string) => registry.peek(id)?.key ?? '';
beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 21, 12);
  registry = new SessionRegistry(':memory:', () => localInstant(nowMs));
});

describe('SessionRegistry', () => {
  test('each id is new, has 256 bits, and reveals nothing about the operator', () => {
    const ids = Array.from({ length: 200 }, () => open('anna'));
    expect(new Set(ids).size).toBe(200);
    for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(32);
  });

  test('closing a session ends it for every copy of its id; the operator’s other sessions continue', () => {
    const [one, other] = [open('anna'), open('anna')];
    registry.close(one);
    expect(registry.find(one)).toBeUndefined();
    expect(registry.find(other)).toMatchObject({ operatorId: 'anna', credentialDigest: digest('hash'), origin: desk });
  });

  test('sessions survive a restart, and the file does not contain their ids', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lookout-sessions-')), 'sessions.sqlite');
    const now = () => localInstant(nowMs);
    const id = new SessionRegistry(file, now).open(by('anna'), desk);
    expect(new SessionRegistry(file, now).find(id)).toMatchObject({ operatorId: 'anna' });
    expect(readFileSync(file).includes(id)).toBe(false);
  });

  test('a made-up id finds nothing', () => {
    open('anna');
    for (const id of ['', 'anna', '__proto__']) expect(registry.find(id)).toBeUndefined();
  });

  test('a session ends after twelve hours without a request, and not before', () => {
    const id = open('anna');
    nowMs += 12 * HOUR_MS - 1;
    expect(registry.find(id)).toBeDefined();
    nowMs += 12 * HOUR_MS + 1;
    expect(registry.find(id)).toBeUndefined();
  });

  test('a session ends after seven days, however active', () => {
    const id = open('anna');
    const endMs = nowMs + 7 * 24 * HOUR_MS;
    for (; nowMs < endMs; nowMs += HOUR_MS) expect(registry.find(id)).toBeDefined();
    expect(registry.find(id)).toBeUndefined();
    nowMs -= HOUR_MS;
    expect(registry.find(id)).toBeUndefined();
  });

  test('one that the browser keeps ends after three days without a request', () => {
    const id = open('anna', { ...desk, isKept: true });
    nowMs += 72 * HOUR_MS - 1;
    expect(registry.find(id)).toBeDefined();
    nowMs += 72 * HOUR_MS;
    expect(registry.list()).toEqual([]);
    expect(registry.find(id)).toBeUndefined();
  });

  test('an answer that goes on for hours does not keep its session open', () => {
    const id = open('anna');
    for (let hour = 0; hour < 12; hour++, nowMs += HOUR_MS) expect(registry.peek(id)).toBeDefined();
    expect(registry.peek(id)).toBeUndefined();
  });

  test('the sessions of an operator are listed, and ended singly, all but one, or all', () => {
    const ids = ['anna', 'anna', 'anna', 'bela'].map((name) => {
      nowMs += HOUR_MS;
      return open(name);
    });
    const [first = '', second = '', third = '', other = ''] = ids;
    expect(registry.list('anna').map(({ key }) => key)).toEqual([third, second, first].map(keyOf));
    expect(registry.list()).toHaveLength(4);
    expect(registry.end({ key: keyOf(first), operatorId: 'bela' })).toBe(0);
    expect(registry.end({ key: keyOf(first), operatorId: 'anna' })).toBe(1);
    expect(registry.find(first)).toBeUndefined();
    expect(registry.end({ operatorId: 'anna', except: keyOf(second) })).toBe(1);
    expect(registry.find(second)).toBeDefined();
    expect(registry.end({ operatorId: 'anna' })).toBe(1);
    expect(registry.list()).toMatchObject([{ operatorId: 'bela', key: keyOf(other) }]);
  });

  test('a session that another process ends is over within a second', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lookout-sessions-')), 'sessions.sqlite');
    const [app, command] = [1, 2].map(() => new SessionRegistry(file, () => localInstant(nowMs)));
    const id = app?.open(by('anna'), desk) ?? '';
    expect(app?.find(id)).toBeDefined();
    expect(command?.end({ operatorId: 'anna' })).toBe(1);
    nowMs += 1000;
    expect(app?.find(id)).toBeUndefined();
  });

  test('somebody of a provider is in the session with name and role', () => {
    const person = { name: 'Carla', role: 'viewer', issuer: 'https://login.example', subject: '7' } as const;
    const id = registry.open({ source: 'oidc', operatorId: 'oidc:x', credential: 'terms', ...person }, desk);
    expect(registry.find(id)).toMatchObject({ operatorId: 'oidc:x', person, credentialDigest: digest('terms') });
  });

  test('a session of single sign-on ends a day after signing in, however active', () => {
    const person = { name: 'Carla', role: 'viewer', issuer: 'https://login.example', subject: '7' } as const;
    const id = registry.open({ source: 'oidc', operatorId: 'oidc:x', credential: 'terms', ...person }, desk);
    const beganMs = nowMs;
    for (; nowMs < beganMs + 24 * HOUR_MS; nowMs += HOUR_MS) expect(registry.find(id)).toBeDefined();
    expect(registry.list()).toEqual([]);
    expect(registry.find(id)).toBeUndefined();
  });

  test('a file of an older form begins anew', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lookout-sessions-')), 'sessions.sqlite');
    const old = new DatabaseSync(file);
    old.exec("create table session (id_digest text primary key); insert into session values ('x')");
    old.close();
    expect(new SessionRegistry(file, () => localInstant(nowMs)).list()).toEqual([]);
  });
});
