import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { openPostgres } from '../../postgres/open-postgres.ts';
import type { Postgres } from '../../postgres/postgres.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../postgres/postgres-cluster.fixture.ts';
import { type Account, ALL_SCOPES } from '../account.ts';
import { addAccount } from '../administer/accounts.ts';
import { declareAccountsSuite } from '../administer/accounts-suite.fixture.ts';
import { declareQuotaSuite } from '../ports/quota-suite.fixture.ts';
import { postgresAccess } from './postgres-access.ts';
import { postgresBook } from './postgres-book.ts';

const programs = postgresPrograms();

describe.skipIf(programs === undefined)('with PostgreSQL', () => {
  let cluster: Cluster | undefined;
  /** Two instances with connections of their own. */
  let instances: readonly Postgres[] = [];
  const logged: string[] = [];
  beforeAll(async () => {
    cluster = startCluster(programs as string);
    const target = cluster.target();
    const options = { makes: true, log: (entry: string) => logged.push(entry) };
    // At the same time: the tables are made once.
    instances = await Promise.all([openPostgres(target, options), openPostgres(target, options)]);
  });
  afterAll(async () => {
    await Promise.all(instances.map((each) => each.close()));
    cluster?.remove();
    expect(logged).toEqual([]);
  });

  let accounts = 0;
  async function newAccount(now: UpstreamInstant): Promise<string> {
    accounts += 1;
    const added = await addAccount(
      { book: postgresBook(instances[0]!), now, by: 'tester' },
      { name: `account ${accounts}`, allowance: { perMinute: 1, perDay: 1 } },
    );
    return added.account.id;
  }

  declareAccountsSuite('PostgreSQL', async (now) => {
    await instances[0]!.query('truncate lookout.account, lookout.audit restart identity cascade');
    const access = postgresAccess(instances[0]!, now);
    return {
      access,
      books: [postgresBook(instances[0]!), postgresBook(instances[1]!)],
      settled: access.settled,
      close: () => access.settled(),
    };
  });

  declareQuotaSuite(
    'PostgreSQL',
    async (now) => ({
      handles: [postgresAccess(instances[0]!, now).quota, postgresAccess(instances[1]!, now).quota],
      accountId: await newAccount(now()),
    }),
    8,
  );

  test('old days are forgotten, and none of today’s count for a clock that was a year ahead', async () => {
    let now = upstreamInstant(Date.UTC(2026, 10, 21, 12));
    const account = accountOf(await newAccount(now), 2);
    const { quota } = postgresAccess(instances[0]!, () => now);
    const spendOn = async (day: number) => {
      now = upstreamInstant(Date.UTC(2026, 10, 21 + day, 12));
      return (await quota.spend(account)).left.day;
    };
    expect(await spendOn(0)).toBe(1);
    expect(await spendOn(365)).toBe(1);
    expect(await spendOn(0)).toBe(0);
    for (let day = 1; day < 20; day += 1) expect(await spendOn(day)).toBe(1);
    const kept = await instances[0]!.query('select from lookout.spent_in_day where account = $1', [account.id]);
    expect(kept).toHaveLength(8);
  });

  test('of 2000 requests of two instances at once, with a day of 700, exactly 700 are granted, by the database’s clock', async () => {
    const id = await newAccount(upstreamInstant(Date.now()));
    const account = accountOf(id, 700);
    const quotas = instances.map((each) => postgresAccess(each).quota);
    const spendings = await Promise.all(Array.from({ length: 2000 }, (_, index) => quotas[index % 2]!.spend(account)));
    const left = spendings.filter(({ granted }) => granted).map(({ left }) => left.day);
    // Each was told another number: as if they had come one after the other.
    expect(left.sort((a, b) => b - a)).toEqual(Array.from({ length: 700 }, (_, index) => 699 - index));
  });
});

function accountOf(id: string, perDay: number): Account {
  return {
    id,
    grant: { active: true, expiresAt: null },
    scopes: new Set(ALL_SCOPES),
    lookbackDays: 30,
    allowance: { perMinute: 1_000_000, perDay },
  };
}
