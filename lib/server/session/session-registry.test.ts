import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { digest, SessionRegistry } from './session-registry.ts';

let nowMs: number;
let registry: SessionRegistry;
beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 21, 12);
  registry = new SessionRegistry(':memory:', () => localInstant(nowMs));
});

describe('SessionRegistry', () => {
  test('each id is new, has 256 bits, and reveals nothing about the operator', () => {
    const ids = Array.from({ length: 200 }, () => registry.open('anna', 'hash'));
    expect(new Set(ids).size).toBe(200);
    for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(32);
  });

  test('closing a session ends it for every copy of its id; the operator’s other sessions continue', () => {
    const [phone, desk] = [registry.open('anna', 'hash'), registry.open('anna', 'hash')];
    registry.close(phone);
    expect(registry.find(phone)).toBeUndefined();
    expect(registry.find(desk)).toMatchObject({ operator: 'anna', passwordDigest: digest('hash') });
  });

  test('sessions survive a restart, and the file does not contain their ids', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lookout-sessions-')), 'sessions.sqlite');
    const now = () => localInstant(nowMs);
    const id = new SessionRegistry(file, now).open('anna', 'hash');
    expect(new SessionRegistry(file, now).find(id)).toMatchObject({ operator: 'anna' });
    expect(readFileSync(file).includes(id)).toBe(false);
  });

  test('a made-up id finds nothing', () => {
    registry.open('anna', 'hash');
    for (const id of ['', 'anna', '__proto__']) expect(registry.find(id)).toBeUndefined();
  });

  test('a session ends after twelve hours without a request, and not before', () => {
    const id = registry.open('anna', 'hash');
    nowMs += 12 * HOUR_MS - 1;
    expect(registry.find(id)).toBeDefined();
    nowMs += 12 * HOUR_MS + 1;
    expect(registry.find(id)).toBeUndefined();
  });

  test('a session ends after seven days, however active', () => {
    const id = registry.open('anna', 'hash');
    const endMs = nowMs + 7 * 24 * HOUR_MS;
    for (; nowMs < endMs; nowMs += HOUR_MS) expect(registry.find(id)).toBeDefined();
    expect(registry.find(id)).toBeUndefined();
    nowMs -= HOUR_MS;
    expect(registry.find(id)).toBeUndefined();
  });
});
