import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { SupervisedPartName } from '#lib/api/operation/ready-answer.ts';
import { addMs, instantOf, type LocalInstant, localInstant, msBetween, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { isLong } from '#testing/budget.ts';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { SpentToday } from '../allowance/spent-today.ts';
import { openLedger } from '../allowance/stored-ledger.ts';
import { AuditEvents } from '../audit/audit-events.ts';
import { AuditLog } from '../audit/audit-log.ts';
import type { Database } from '../database/database.ts';
import { PartCache } from '../history/parts/part-cache.ts';
import { StoredParts } from '../history/parts/stored-parts.ts';
import { StoredDemandProfile } from '../live/pace/demand-profile.ts';
import { WriterElection } from '../servers/writer-election.ts';
import { Operators } from '../sign-in/operators.ts';
import { Sessions } from '../sign-in/sessions.ts';
import { AlarmDays } from '../zones/alarms/alarm-days.ts';
import { Presence } from '../zones/alarms/presence.ts';
import { CurrentZones } from '../zones/current-zones.ts';
import { newZone } from '../zones/new-zone.fixture.ts';
import { GapStore, HistoryGaps } from '../zones/watch/history-gaps.ts';
import { Zones } from '../zones/zones.ts';
import { patientSupervisor } from './supervisor.fixture.ts';
import type { Part } from './supervisor.ts';

const NOW = upstreamInstant(Date.UTC(2026, 10, 27, 12));
const al = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const LEASE = { fence: 0, onChange: () => () => undefined };
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Work {
  /** Once; resolves when it succeeded or failed. */
  readonly run: () => unknown;
  readonly close?: () => unknown;
  /** Rows that it has written. */
  readonly written?: () => Promise<unknown>;
}

interface Given {
  readonly database: Database;
  readonly part: Part;
  /** The wall clock's time; each run is later. */
  readonly now: () => LocalInstant;
}

type Starts = (given: Given) => Work | Promise<Work>;

const count = (database: Database, table: 'presence' | 'spent' | 'audit_event') => async () =>
  (await database.query.selectFrom(table).selectAll().execute()).length;

const WORKS: readonly (readonly [SupervisedPartName, string, Starts])[] = [
  [
    'allowance',
    'ledger',
    async ({ database, part, now }) => {
      const ledger = await openLedger(database, 'account', part);
      return { run: () => ledger.pauseUntil(addMs(NOW, msBetween(localInstant(0), now())), 'service_busy') };
    },
  ],
  [
    'spending',
    'spent',
    ({ database, part }) => {
      const spent = new SpentToday({ database, part });
      return {
        run: () => {
          spent.add('al', 'history', NOW);
          return spent.close();
        },
        written: count(database, 'spent'),
      };
    },
  ],
  [
    'audit',
    'audit_event',
    ({ database, part, now }) => {
      const audit = new AuditLog({ events: new AuditEvents(database), part, days: 30, now });
      const actor = { operator: null, address: null, requestId: null };
      return { run: () => audit.record(actor, { kind: 'allowance_checked' }), close: () => audit.close() };
    },
  ],
  [
    'history',
    'part',
    ({ database, part, now }) => {
      const cache = new PartCache(new StoredParts({ database, account: 'a', lease: LEASE, wallNow: now, part }));
      const [start, end] = [instantOf('2026-11-21T10:00:00Z'), instantOf('2026-11-21T10:10:00Z')];
      const bbox = { west: 8, south: 47, east: 9, north: 48 };
      return { run: () => cache.learn([{ layer: 'adsb', bbox, window: { start, end } }]) };
    },
  ],
  [
    'demand_profile',
    'demand_profile',
    async ({ database, part }) => {
      const kept = await StoredDemandProfile.open({ database, lease: LEASE, part, log });
      return {
        run: () => {
          for (let minute = 0; minute <= 61; minute++) kept.profile.record(addMs(NOW, minute * MINUTE_MS), false);
          return kept.close();
        },
      };
    },
  ],
  [
    'operators',
    'operator',
    async ({ database, part }) => {
      const operators = await Operators.open(database, part);
      return {
        run: () => operators.change(() => []).catch((error) => part.failed(error)),
        close: () => operators.close(),
      };
    },
  ],
  [
    'sessions',
    'session rename column seen_ms',
    async ({ database, part, now }) => {
      const sessions = new Sessions(database, now, part);
      const origin = { browser: 'Firefox on Linux', address: '192.0.2.7', isKept: false };
      const id = await sessions.open({ operatorId: 'al', source: 'password', credential: 'hash' }, origin);
      const use = async () => {
        await sessions.find(id);
        await sessions.list();
      };
      return { run: () => use().catch(() => undefined), close: () => sessions.shutDown() };
    },
  ],
  [
    'presence',
    'presence',
    ({ database, part, now }) => {
      const presence = new Presence(database, part);
      return {
        run: () => {
          presence.received({ owner: 'al', name: 'Al' }, addMs(NOW, msBetween(localInstant(0), now())));
          return presence.write();
        },
        close: () => presence.close(),
        written: count(database, 'presence'),
      };
    },
  ],
  [
    'cleaning',
    'zone_spent',
    ({ database, part }) => {
      const days = new AlarmDays({ database, lease: LEASE, days: 30, now: () => NOW, part });
      return { run: () => days.prune(), close: () => days.close() };
    },
  ],
  [
    'zones',
    'zone_revision',
    ({ database, part }) => {
      const current = new CurrentZones(new Zones(database, () => NOW), part);
      return { run: () => current.read(), close: () => current.close() };
    },
  ],
  [
    'gaps',
    'zone_stretch',
    async ({ database, part }) => {
      const zones = new Zones(database, () => NOW);
      await zones.add(al, newZone({ history_requests_a_day: 10 }));
      const current = new CurrentZones(zones, patientSupervisor().part('zones'));
      await current.read();
      const gaps = new HistoryGaps({
        current,
        lease: LEASE,
        now: () => NOW,
        part,
        store: new GapStore(database),
        watch: { takeGap: () => undefined },
        history: { load: () => expect.fail('nothing is missing') },
      });
      return {
        run: () => gaps.run(),
        close: async () => {
          await gaps.close();
          await current.close();
        },
      };
    },
  ],
];

/** Parts that only one of several servers has. */
const SHARED_WORKS: typeof WORKS = [
  [
    'writer',
    'writer_lease',
    async ({ database, part }) => {
      const election = new WriterElection({ database, name: 'one', part, log });
      await election.start();
      // It beats by itself.
      return { run: () => undefined, close: () => election.close() };
    },
  ],
];

describeDatabases('work without a request', ({ open, dialect }) => {
  const works = dialect === 'postgres' ? [...(isLong ? WORKS : []), ...SHARED_WORKS] : WORKS;
  test.each(works)(
    'of %s is reported while its database does not fit, and done once it does',
    async (name, table, starts) => {
      const database = await open();
      const supervisor = patientSupervisor();
      let nowMs = 0;
      const now = () => localInstant(nowMs);
      const { run, close, written } = await starts({ database, part: supervisor.part(name), now });
      const [of = '', column] = table.split(' rename column ');
      const [breaks, mends] =
        column === undefined
          ? [`${of} rename to gone`, `gone rename to ${of}`]
          : [`${of} rename column ${column} to gone`, `${of} rename column gone to ${column}`];
      const alter = (what: string) => sql.raw(`alter table ${what}`).execute(database.query);
      const runs = async () => {
        nowMs += 2 * MINUTE_MS;
        await run();
      };
      await runs();
      await eventually(() => expect(supervisor.failing).toEqual([]));
      const before = await written?.();
      await alter(breaks);
      await eventually(async () => {
        await runs();
        expect(supervisor.failing).toMatchObject([{ part: name, reason: 'database_damaged' }]);
      });
      await alter(mends);
      await eventually(async () => {
        await runs();
        expect(supervisor.failing).toEqual([]);
      });
      if (written) expect(await written()).toBeGreaterThanOrEqual(before as number);
      await close?.();
    },
  );
});
