import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PartFailureReason, SupervisedPartName } from '#lib/api/operation/ready-answer.ts';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { listedSource } from '#service/conformance/listed-source.ts';
import { startService } from '#service/server/start-service.ts';
import { freePort } from '#testing/free-port.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import { Readiness } from './readiness.ts';

test('is not ready before the upstream could be reached once, which costs no request; later it stays ready without it', async () => {
  const port = await freePort();
  const dataDir = mkdtempSync(join(tmpdir(), 'lookout-ready-'));
  let at = localInstant(0);
  let isKeyRefused = false;
  const readiness = new Readiness({
    upstreamUrl: `http://127.0.0.1:${port}/v1`,
    dataDir,
    isKeyRefused: () => isKeyRefused,
    database: { failure: undefined, check: async () => undefined },
    failing: () => [],
    now: () => at,
    log: { warn: () => undefined, error: () => undefined },
  });
  const read = () => {
    at = addMs(at, 2000);
    return readiness.read();
  };
  expect(await read()).toEqual({ ready: false, missing: ['upstream'], failing: [] });
  const service = await startService({ source: listedSource([]), port });
  expect(await read()).toEqual({ ready: true, missing: [], failing: [] });
  expect(service.requests()).toEqual([]);
  await service.close(0);
  expect(await read()).toEqual({ ready: true, missing: [], failing: [] });
  isKeyRefused = true;
  expect(await readiness.read()).toEqual({ ready: true, missing: [], failing: [] });
  expect(await read()).toEqual({ ready: false, missing: ['key'], failing: [] });
  expect(readdirSync(dataDir)).toEqual([]);
});

test('is not ready while DATA_DIR cannot be written, and logs when that begins and ends', async () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'lookout-ready-')), 'missing');
  const service = await startService({ source: listedSource([]), port: 0 });
  const logged: unknown[] = [];
  const note = (...said: unknown[]) => logged.push(said.at(-1));
  let at = localInstant(0);
  const readiness = new Readiness({
    upstreamUrl: service.baseUrl,
    dataDir,
    isKeyRefused: () => false,
    database: { failure: undefined, check: async () => undefined },
    failing: () => [],
    now: () => at,
    log: { error: note, warn: note },
  });
  const read = () => {
    at = addMs(at, 2000);
    return readiness.read();
  };
  for (let check = 0; check < 2; check++)
    expect(await read()).toEqual({ ready: false, missing: ['storage'], failing: [] });
  mkdirSync(dataDir);
  for (let check = 0; check < 2; check++) expect(await read()).toEqual({ ready: true, missing: [], failing: [] });
  expect(logged).toEqual(['DATA_DIR cannot be written', 'DATA_DIR can be written again']);
  await service.close(0);
});

test('is not ready once the database has another schema, which is no failed disk', async () => {
  const service = await startService({ source: listedSource([]), port: 0 });
  const failure = new DatabaseFailure('other-schema', 'a newer Lookout has migrated it');
  let checks = 0;
  const readiness = new Readiness({
    upstreamUrl: service.baseUrl,
    dataDir: mkdtempSync(join(tmpdir(), 'lookout-ready-')),
    isKeyRefused: () => false,
    database: { failure, check: async () => void checks++ },
    failing: () => [],
    now: () => localInstant(0),
    log: { warn: () => undefined, error: () => undefined },
  });
  expect(await readiness.read()).toEqual({ ready: false, missing: ['schema'], failing: [] });
  expect(checks).toBe(0);
  await service.close(0);
});

test('is not ready while a part fails, names each, and leaves a full disk to what says so', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lookout-ready-'));
  const service = await startService({ source: listedSource([]), port: 0 });
  let at = localInstant(0);
  let failing: readonly { readonly part: SupervisedPartName; readonly reason: PartFailureReason }[] = [];
  const readiness = new Readiness({
    upstreamUrl: service.baseUrl,
    dataDir,
    isKeyRefused: () => false,
    database: { failure: undefined, check: async () => undefined },
    failing: () => failing,
    now: () => at,
    log: { warn: () => undefined, error: () => undefined },
  });
  const read = () => {
    at = addMs(at, 2000);
    return readiness.read();
  };
  const [watch, full] = [
    { part: 'watch', reason: 'defect' },
    { part: 'overview', reason: 'database_full' },
  ] as const;
  failing = [watch, full];
  expect(await read()).toEqual({ ready: false, missing: ['part'], failing });
  failing = [full];
  expect(await read()).toEqual({ ready: true, missing: [], failing });
  failing = [];
  expect(await read()).toEqual({ ready: true, missing: [], failing });
  await service.close(0);
});
