import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { declareSessionsSuite } from '../ports/sessions-suite.fixture.ts';
import { SessionRegistry } from './session-registry.ts';

const now = () => localInstant(Date.UTC(2026, 10, 21, 12));
const newFile = () => join(mkdtempSync(join(tmpdir(), 'lookout-sessions-')), 'sessions.sqlite');

declareSessionsSuite('two SessionRegistry of one file', async (clock) => {
  const file = newFile();
  return [new SessionRegistry(file, clock), new SessionRegistry(file, clock)];
});

declareSessionsSuite('SessionRegistry in memory', async (clock) => {
  const registry = new SessionRegistry(':memory:', clock);
  return [registry, registry];
});

describe('SessionRegistry', () => {
  test('sessions survive a restart, and the file does not contain their ids', async () => {
    const file = newFile();
    const by = { source: 'password', operatorId: 'anna', credential: 'hash' } as const;
    const desk = { browser: 'Firefox on Linux', address: '192.0.2.7', isKept: false };
    const id = await new SessionRegistry(file, now).open(by, desk);
    expect(await new SessionRegistry(file, now).find(id)).toMatchObject({ operatorId: 'anna' });
    expect(readFileSync(file).includes(id)).toBe(false);
  });

  test('a file of an older form begins anew', async () => {
    const file = newFile();
    const old = new DatabaseSync(file);
    old.exec("create table session (id_digest text primary key); insert into session values ('x')");
    old.close();
    expect(await new SessionRegistry(file, now).list()).toEqual([]);
  });
});
