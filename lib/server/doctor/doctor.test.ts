// Each line of the doctor, broken in each way that it knows. Those that ask others are in scripts/doctor.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { doctorSummary } from '#lib/api/operation/doctor-answer.ts';
import type { Receiver, ReceiversAnswer } from '#lib/api/receivers/receivers-answer.ts';
import { STATUS_ANSWER } from '#lib/client/status/status-answer.fixture.ts';
import type { SeenRequest } from '#lib/front/seen-request.ts';
import { localInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { freePort } from '#testing/free-port.ts';
import { selfSigned } from '#testing/self-signed.ts';
import { describeDatabases, describePostgres } from '#testing/test-databases.ts';
import { readOnly } from '../database/schema.ts';
import { LAST_BACKUP_FILE } from '../metrics/last-backup.ts';
import { readConfig } from '../settings/config.ts';
import { databaseFindings, schemaFindings } from './database-checks.ts';
import { Doctor } from './doctor.ts';
import { examine, fine, type Said } from './examine.ts';
import { backupFindings, diskFindings, folderFindings } from './machine-checks.ts';
import {
  certificateFindings,
  clockFindings,
  proxyFindings,
  readyFindings,
  receiverFindings,
  upstreamFindings,
} from './network-checks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-doctor-'));
});
const isRoot = process.getuid?.() === 0;
const texts = (said: readonly Said[]) => said.map(({ state, found, remedy }) => `${state}: ${found} → ${remedy}`);
const file = (name: string, text = '', mode = 0o600) => writeFileSync(join(folder, name), text, { mode });
const shown = (pattern: string | RegExp) => [expect.stringMatching(pattern)];

describe('Folder', () => {
  test('is well where it is for its owner alone, and before the first start', () => {
    file('lookout.sqlite');
    expect(texts(folderFindings(folder))).toEqual(shown(/^ok: .* is of user \d+, with mode 700/));
    expect(texts(folderFindings(join(folder, 'a/b')))).toEqual(shown(/^ok: .*a\/b is not there yet/));
  });

  test.each<[string, () => unknown, RegExp]>([
    ['other users may enter', () => chmodSync(folder, 0o755), /^wrong: Other users may read \/.* → chmod go= \//],
    [
      'other users may read the database',
      () => file('lookout.sqlite', '', 0o644),
      /^wrong: Other users may read .*lookout\.sqlite → chmod go= \/.*lookout\.sqlite$/,
    ],
    [
      'an earlier Lookout left files',
      () => file('views.sqlite'),
      /^wrong: .*files of an earlier Lookout.*Set DATA_DIR/,
    ],
    [
      'a restore was interrupted',
      () => {
        mkdirSync(join(folder, 'restoring'));
        file('restoring/moves.json', '{}');
      },
      /^wrong: A restore .* was interrupted.*--continue/,
    ],
  ])('is wrong where %s', (_, breaks, text) => {
    breaks();
    expect(texts(folderFindings(folder))).toEqual(shown(text));
  });

  test('is wrong where it is a file, or below one, and where it may not be written', () => {
    file('data');
    for (const path of ['data', 'data/in'])
      expect(texts(folderFindings(join(folder, path)))).toEqual(shown(/^wrong: DATA_DIR .*data.* not a directory/));
    if (isRoot) return;
    chmodSync(folder, 0o500);
    expect(texts(folderFindings(folder))).toEqual(shown(/^wrong: DATA_DIR \/.* cannot be written: let the user/));
  });

  test('is wrong for another user than its owner', () => {
    expect(texts(folderFindings(folder, 12_345))).toEqual(
      shown(/belongs to user \d+, and this runs as user 12345 → Run it as/),
    );
  });

  test.skipIf(!isRoot)('is wrong where a command of root left a file in it', () => {
    file('lookout.sqlite');
    chownSync(folder, 65_534, 65_534);
    expect(texts(folderFindings(folder))).toEqual(
      shown(/^wrong: Another user than that of the folder has .*lookout\.sqlite → chown --ref/),
    );
  });
});

test('Disk is wrong with less than 500 MB, or too little for a copy of the database', () => {
  expect(texts(diskFindings(folder, () => 5e9))).toEqual(shown(/^ok: 5\.0 GB free on the disk of \//));
  expect(texts(diskFindings(folder, () => 1e6))).toEqual(shown(/^wrong: 1\.0 MB free.* → Make room: 500 MB/));
  file('lookout.sqlite');
  truncateSync(join(folder, 'lookout.sqlite'), 3e9);
  expect(texts(diskFindings(folder, () => 5e9))).toEqual(shown(/^wrong: 5\.0 GB free.* → Make room: 6\.0 GB/));
});

describe('Backup', () => {
  const nowMs = Date.parse('2026-11-28T12:00:00Z');
  const last = (noted: object) => file(LAST_BACKUP_FILE, JSON.stringify(noted));
  const made = '2026-11-28T03:00:00.000Z';
  const found = (isNeeded = true) => texts(backupFindings(folder, nowMs, isNeeded));

  test('is well when it is of this day and was read', () => {
    last({ made, verified: made });
    expect(found()).toEqual(shown(/^ok: The newest backup is 9 h old \(.*was read whole at/));
  });

  test('is wrong where there is none, unless all positions are simulated', () => {
    expect(found()).toEqual(shown(/^wrong: No backup is known → Back up every day: npm run backup/));
    expect(found(false)).toEqual(shown(/^ok: No backup is known; all positions are simulated/));
  });

  test('is wrong when it is old or gone, and not known where it was never read', () => {
    last({ made: '2026-11-20T03:00:00.000Z', verified: made });
    expect(found()).toEqual(shown(/^wrong: The newest backup is 8 days old .* → Back up every day/));
    last({ made, verified: made, folder: join(folder, 'gone') });
    expect(found()).toEqual(shown(/^wrong: .*is no longer in .*gone → Back up again/));
    last({ made, verified: null });
    expect(found()).toEqual(shown(/^unknown: .*was never read again → Read it: npm run backup -- --verify FOLDER/));
  });
});

describeDatabases('Database and Schema', ({ newTarget, newEmptyTarget, open }) => {
  const both = async (target = newTarget()) => {
    const reads = <Result>(read: Parameters<typeof readOnly<Result>>[1]) => readOnly(target, read);
    return {
      database: texts(await databaseFindings(target, reads)),
      schema: texts(await schemaFindings(target, reads)),
    };
  };

  test('are well with the tables of this build, and before the first start', async () => {
    const { database, schema } = await both();
    expect(database).toEqual(shown(/^ok: /));
    expect(schema).toEqual(shown(/^ok: 00\d\d-[\w-]+, fingerprint [0-9a-f]{12} /));
    expect((await both(newEmptyTarget())).schema).toEqual(shown(/^ok: .*the first start makes/));
  });

  test('Schema is wrong with a table that was altered, an older one, and a newer one', async () => {
    const altered = newTarget();
    const { query } = await open(altered);
    await sql`alter table session add column extra integer`.execute(query);
    expect((await both(altered)).schema).toEqual(shown(/^wrong: .*altered.*column extra of session/));
    await sql`alter table session drop column extra`.execute(query);
    await sql`insert into migration (name, timestamp) values ('9999-newer', '')`.execute(query);
    expect((await both(altered)).schema).toEqual(shown(/^wrong: .*9999-newer of a newer Lookout.*start a release/));
  });

  test('Database is wrong where its rows were moved elsewhere', async () => {
    const target = newTarget();
    const { query } = await open(target);
    await sql`insert into move (id, move, state, other, at_ms) values (1, '1', 'moved', 'elsewhere', 0)`.execute(query);
    expect((await both(target)).database).toEqual(shown(/^wrong: .*was moved to elsewhere.*old copy/));
  });
});

describe('Database in a file', () => {
  const of = async () => {
    const target = { dialect: 'sqlite', file: join(folder, 'lookout.sqlite') } as const;
    const reads = <Result>(read: Parameters<typeof readOnly<Result>>[1]) => readOnly(target, read);
    return [texts(await databaseFindings(target, reads)), texts(await schemaFindings(target, reads))];
  };

  test('is wrong where the file is damaged', async () => {
    file('lookout.sqlite', 'no database at all'.repeat(100));
    expect(await of()).toEqual([
      shown(/^wrong: .*lookout\.sqlite is damaged/),
      shown(/^unknown: The database cannot be read/),
    ]);
  });
});

describePostgres('Database in PostgreSQL', (databases) => {
  const { newTarget, newCluster } = databases;
  const of = async (target = newTarget()) => texts(await databaseFindings(target, (read) => readOnly(target, read)));

  test('names its version', async () => {
    expect(await of()).toEqual(shown(/^ok: .* is PostgreSQL 1\d/));
  });

  test('is wrong for a role that may not make tables, or does not own them', async () => {
    const target = newTarget();
    if (target.dialect !== 'postgres') return;
    databases.cluster.sql(
      'do $$ begin create role doctor_guest login; exception when duplicate_object then null; end $$',
    );
    const asGuest = { ...target, user: 'doctor_guest' };
    expect(await of(asGuest)).toEqual(
      shown(/^wrong: doctor_guest may not make tables .* → Make doctor_guest the owner/),
    );
    databases.cluster.sql('grant create on schema public to doctor_guest', target.database);
    expect(await of(asGuest)).toEqual(
      shown(/^wrong: doctor_guest does not own alarm, .* → Make doctor_guest the owner/),
    );
  });

  test('is wrong where it cannot be reached', async () => {
    const stopped = newCluster();
    const target = stopped.target();
    stopped.stop();
    expect(await of(target)).toEqual(shown(/^wrong: .*cannot be reached.*Start it, or correct DATABASE_URL/));
  });
});

test('Server is wrong for each thing that /readyz misses, and for each part that fails', () => {
  const said = (
    missing: Parameters<typeof readyFindings>[0]['missing'],
    failing: Parameters<typeof readyFindings>[0]['failing'] = [],
  ) => texts(readyFindings({ ready: missing.length === 0, missing, failing }, 'https://lookout.example'));
  expect(said([])).toEqual(shown(/^ok: Lookout answers at https:\/\/lookout\.example, and is ready/));
  for (const missing of ['leaving', 'schema', 'storage', 'key', 'upstream'] as const)
    expect(said([missing])).toEqual(shown(/^wrong: .* → \S/));
  expect(said(['part'], [{ part: 'delivery', reason: 'database_full' }])).toEqual(
    shown(/^wrong: Its part delivery fails: database full → The log/),
  );
});

describe('Certificate', () => {
  const files = mkdtempSync(join(tmpdir(), 'lookout-doctor-tls-'));
  const { pem, keyFile } = selfSigned(files, 'DNS:localhost');
  const server = createServer({ cert: pem, key: readFileSync(keyFile) });
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(files, { recursive: true });
  });
  const of = async (host: string, nowMs = Date.now()) =>
    texts(await certificateFindings(`https://${host}:${port}`, nowMs));

  test('is wrong when it is untrusted, is made out to another name, or ends tomorrow', async () => {
    expect(await of('localhost')).toEqual(
      shown(/^wrong: This machine refuses the certificate: self-signed .* → Give the proxy the whole chain/),
    );
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, pem]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    expect(await of('localhost', Date.now() - 30 * DAY_MS)).toEqual(
      shown(/^ok: The certificate of localhost is trusted, and ends in 3\d days, on 20/),
    );
    expect(await of('localhost')).toEqual(shown(/^wrong: .* ends in 0 days, on .* → Renew it/));
    expect(await of('127.0.0.1')).toEqual(shown(/^wrong: This machine refuses .*altnames.* → Get one for the name/));
  });

  test('is wrong where nothing answers at PUBLIC_URL, and well without https', async () => {
    const closed = await certificateFindings(`https://localhost:${await freePort()}`, Date.now());
    expect(texts(closed)).toEqual(
      shown(/^wrong: .* cannot be reached from this machine \(ECONNREFUSED\) → Start the proxy/),
    );
    expect(texts(await certificateFindings(undefined, 0))).toEqual(shown(/^ok: PUBLIC_URL has no https/));
  });
});

describe('Proxy', () => {
  const config = { publicOrigin: 'https://lookout.example', tls: true, trustedProxies: ['10.0.0.0/8'] };
  const seen: SeenRequest = {
    peer: '10.0.0.7',
    client: '192.0.2.9',
    host: 'lookout.example',
    hasForwardedFor: true,
    forwardedProto: 'https',
  };
  test.each<[string, Partial<SeenRequest>, Partial<typeof config>, RegExp]>([
    [
      'is well',
      {},
      {},
      /^ok: Lookout sees the client 192\.0\.2\.9 by way of 10\.0\.0\.7, and Host lookout\.example; cookies are Secure/,
    ],
    [
      'passes no Host',
      { host: '127.0.0.1:3000' },
      {},
      /^wrong: .*Host 127\.0\.0\.1:3000, and PUBLIC_URL has lookout\.example → Let/,
    ],
    [
      'is not trusted',
      { peer: '192.0.2.1' },
      {},
      /^wrong: 192\.0\.2\.1 sends X-Forwarded-For and is not trusted.* → Set TRUSTED_PROXIES to 192\.0\.2\.1/,
    ],
    ['passes no client', { hasForwardedFor: false }, {}, /^wrong: 10\.0\.0\.7 sends no X-Forwarded-For/],
    ['passes http', { forwardedProto: 'http' }, {}, /^wrong: The browser came by http, so it keeps no cookie/],
    [
      'speaks https unknown to Lookout',
      {},
      { publicOrigin: 'http://lookout.example', tls: false },
      /^wrong: .*cookies are not Secure → Set PUBLIC_URL to https:\/\/lookout\.example/,
    ],
  ])('%s', (_, changed, settings, text) => {
    expect(texts(proxyFindings({ ...seen, ...changed }, { ...config, ...settings }))).toEqual(shown(text));
  });

  test('is well without one', () => {
    const direct = { ...seen, peer: '127.0.0.1', client: '127.0.0.1', hasForwardedFor: false, forwardedProto: null };
    const said = proxyFindings(direct, { publicOrigin: undefined, tls: false, trustedProxies: [] });
    expect(texts(said)).toEqual(shown(/^ok: Lookout sees 127\.0\.0\.1, without a proxy.*not Secure, as http needs it/));
  });
});

describe('Receivers', () => {
  const feed: Receiver = {
    id: 'roof',
    url: 'http://roof.local',
    aggregates: false,
    simulated: false,
    state: 'receiving',
    since: '2026-11-28T10:00:00Z',
    problem: null,
    last_heard_at: '2026-11-28T12:00:00Z',
    last_position_at: '2026-11-28T12:00:00Z',
    positions_per_minute: 40,
    refused: {},
    not_served: {},
    clock_error_ms: 0,
    clock_is_used: true,
    requests: null,
    deaf: null,
  };
  const answer = (changed: Partial<Receiver> = {}, more = {}): ReceiversAnswer => ({
    as_of: '2026-11-28T12:00:01Z',
    status: {
      at: '2026-11-28T12:00:01Z',
      feeds: [{ ...feed, ...changed }],
      problems: [],
      clock_set: null,
      past: null,
      ...more,
    },
    failure: null,
  });
  const past = { oldest_at: null, bytes: 0, overdue: null, dropped: {}, problem: 'disk_full' };
  test.each<[string, ReceiversAnswer | undefined, RegExp]>([
    ['none', undefined, /^ok: No receivers/],
    ['one that receives', answer(), /^ok: 1 set up; last received 2026-11-28T12:00:00Z/],
    [
      'one that is lost',
      answer({ state: 'lost', problem: 'connection refused' }),
      /^wrong: roof is lost, last received .*: connection refused → Check/,
    ],
    [
      'one that is silent',
      answer({ state: 'silent', last_heard_at: null }),
      /^wrong: roof is silent, never received → Check/,
    ],
    [
      'one that is deaf',
      answer({ deaf: { share: 0.3, since: '2026-11-28T08:00:00Z' } }),
      /^wrong: roof is deaf: hears 30% .* → Check its antenna/,
    ],
    ['one with a wrong clock', answer({ clock_is_used: false }), /^wrong: The clock of roof is wrong → Set up NTP/],
    [
      'a file with a problem',
      answer({}, { problems: ['roof is named twice'] }),
      /^wrong: The file of feeds: roof is named twice/,
    ],
    ['a past that is not recorded', answer({}, { past }), /^wrong: Nothing is recorded/],
    [
      'a service that does not run',
      { ...answer(), failure: { cause: 'not_running', since: '2026-11-28T12:00:00Z' } },
      /^wrong: The service that listens to the receivers does not run → Start it/,
    ],
  ])('say it of %s', (_, given, text) => {
    expect(texts(receiverFindings(given))).toEqual(shown(text));
  });
});

test('Upstream is wrong where the app knows that the key or a layer fails, and not known before the first request', () => {
  const said = (changed: object) => texts(upstreamFindings({ ...STATUS_ANSWER, ...changed }, 'positions.example'));
  const { adsb } = STATUS_ANSWER.layers;
  const denied = { ...adsb, state: 'denied', reason: 'layer_not_approved' };
  const unasked = { ...adsb, state: 'unknown' };
  expect(said({})).toEqual(shown(/^ok: positions\.example answers, 8214 requests left today/));
  expect(said({ key_refused: true })).toEqual(shown(/^wrong: positions\.example refuses the key →/));
  expect(said({ layers: { rid: denied, adsb } })).toEqual(
    shown(/^wrong: Drones \(Remote ID\): this account has no live access/),
  );
  expect(said({ layers: { rid: unasked, adsb: unasked } })).toEqual(
    shown(/^unknown: positions\.example got no request yet/),
  );
});

test('Clock is wrong where it is off another one by more than 5 s, and not known without another', () => {
  expect(texts(clockFindings({ PostgreSQL: undefined }))).toEqual(shown(/^unknown: There is no other clock/));
  expect(texts(clockFindings({ PostgreSQL: 900 }))).toEqual(
    shown(/^ok: The clock is within 5 s of that of PostgreSQL/),
  );
  expect(texts(clockFindings({ PostgreSQL: -61_000 }))).toEqual(
    shown(/^wrong: This machine’s clock is 61 s ahead of that of PostgreSQL → Set the clock/),
  );
});

test('The running Lookout is examined once for twenty requests, and again after 10 s', async () => {
  const read = readConfig({
    NODE_ENV: 'test',
    POSITIONS_API_URL: 'http://127.0.0.1:1/v1',
    POSITIONS_API_KEY: 'key',
    DATA_DIR: folder,
  } as NodeJS.ProcessEnv);
  if (!read.ok) throw new Error(read.problems.join());
  let [nowMs, examinations] = [0, 0];
  const doctor = new Doctor({
    config: read.config,
    database: { query: undefined as never },
    readiness: {
      async read() {
        examinations += 1;
        return { ready: true, missing: [], failing: [] };
      },
    },
    status: { read: async () => STATUS_ANSWER },
    clock: { aheadMs: 100 },
    receivers: undefined,
    wallNow: () => localInstant(Date.now()),
    monotonicMs: () => nowMs,
    log: { error: () => undefined },
  });
  await Promise.all(Array.from({ length: 20 }, () => doctor.read(new Headers())));
  await doctor.read(new Headers());
  expect(examinations).toBe(1);
  nowMs = 10_000;
  await doctor.read(new Headers());
  expect(examinations).toBe(2);
});

test('A check that fails is not known, is reported once, and stops no other', async () => {
  const defects: unknown[] = [];
  const broken = () => {
    throw new Error('SECRET');
  };
  const findings = await examine({ disk: broken, settings: () => [fine('good')] }, (error) => defects.push(error));
  expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual(['settings ok', 'disk unknown']);
  expect(JSON.stringify(findings)).not.toContain('SECRET');
  expect(defects).toHaveLength(1);
  expect(doctorSummary(findings)).toBe('Everything is well, 1 not known.');
});
