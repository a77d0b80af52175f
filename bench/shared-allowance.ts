import { upstreamInstant } from '#lib/time/instant.ts';
import { addAccount } from '#service/accounts/administer/accounts.ts';
import { approveGrant } from '#service/accounts/administer/grants.ts';
import { createKey } from '#service/accounts/administer/keys.ts';
import { postgresAccess } from '#service/accounts/postgres/postgres-access.ts';
import { postgresBook } from '#service/accounts/postgres/postgres-book.ts';
import { listedSource } from '#service/conformance/listed-source.ts';
import { openPostgres } from '#service/postgres/open-postgres.ts';
import { type Cluster, postgresPrograms, startCluster } from '#service/postgres/postgres-cluster.fixture.ts';
import { startService } from '#service/server/start-service.ts';

const REQUESTS = 10_000;
const PER_DAY = 5000;
const AT_ONCE = 32;

/** Two services over one PostgreSQL that waits for its disk: requests of one account over HTTP, half of them to each. */
export async function sharedAllowance(): Promise<object> {
  const programs = postgresPrograms();
  if (programs === undefined) return {};
  const cluster = startCluster(programs, true);
  try {
    return await measure(cluster);
  } finally {
    cluster.remove();
  }
}

async function measure(cluster: Cluster): Promise<object> {
  const target = cluster.target();
  const options = { makes: true, log: (entry: string) => process.stderr.write(`${entry}\n`) };
  const instances = await Promise.all(
    [1, 2].map(async () => {
      const postgres = await openPostgres(target, options);
      return { postgres, service: await startService({ source: listedSource([]), access: postgresAccess(postgres) }) };
    }),
  );
  const acting = {
    book: postgresBook(instances[0]!.postgres),
    now: upstreamInstant(Date.now()),
    by: 'bench',
  };
  await addAccount(acting, { name: 'A', allowance: { perMinute: 1_000_000, perDay: PER_DAY } });
  await approveGrant(acting, 'A', { scopes: ['adsb.live'] });
  const { secret } = await createKey(acting, { account: 'A', name: 'N' });

  const statuses: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < REQUESTS) {
        const { service } = instances[next++ % 2]!;
        const answer = await fetch(`${service.baseUrl}/live/adsb?bbox=8,47,9,48`, {
          headers: { authorization: `Bearer ${secret}` },
        });
        await answer.arrayBuffer();
        statuses.push(answer.status);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  for (const { service, postgres } of instances) {
    await service.close();
    await postgres.close();
  }
  const count = (status: number) => statuses.filter((each) => each === status).length;
  return {
    shared_granted: count(200),
    shared_refused: count(429),
    shared_requests_per_second: Math.round(REQUESTS / seconds),
  };
}
