import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import { declareSessionsSuite } from '../ports/sessions-suite.fixture.ts';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from './session.ts';
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

  const by = { source: 'password', operatorId: 'anna', credential: 'hash' } as const;
  const desk = { browser: 'Firefox on Linux', address: '192.0.2.7', isKept: false };

  test('a clock that is 40 days ahead for a while deletes no session that is not used meanwhile', async () => {
    const file = newFile();
    let at = now();
    const clock = () => at;
    const id = await new SessionRegistry(file, clock).open(by, desk);
    at = addMs(now(), 40 * DAY_MS);
    const ahead = new SessionRegistry(file, clock);
    expect(await ahead.list()).toEqual([]);
    await ahead.open({ ...by, operatorId: 'bert' }, desk);
    at = addMs(now(), HOUR_MS);
    expect(await new SessionRegistry(file, clock).find(id)).toMatchObject({ operatorId: 'anna' });
  });

  test('a session that began under a clock that was ahead ends as soon as one that begins when the clock is set right', async () => {
    let at = addMs(now(), 40 * DAY_MS);
    const registry = new SessionRegistry(newFile(), () => at);
    const id = await registry.open(by, desk);
    at = now();
    expect(await registry.find(id)).toBeDefined();
    at = addMs(now(), SESSION_IDLE_MS - 1);
    expect(await registry.find(id)).toBeDefined();
    for (let left = SESSION_ABSOLUTE_MS; left > 0; left -= SESSION_IDLE_MS / 2) {
      at = addMs(now(), SESSION_ABSOLUTE_MS - left);
      await registry.find(id);
    }
    at = addMs(now(), SESSION_ABSOLUTE_MS);
    expect(await registry.find(id)).toBeUndefined();
  });

  test('a file of an older form begins anew', async () => {
    const file = newFile();
    const old = new DatabaseSync(file);
    old.exec("create table session (id_digest text primary key); insert into session values ('x')");
    old.close();
    expect(await new SessionRegistry(file, now).list()).toEqual([]);
  });
});
