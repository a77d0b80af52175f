// node --conditions=react-server failing-parts.fixture.ts TARGET TABLES, with the settings of a server in its environment.
// Starts it with a zone, renames the tables in its database, and names them again. Prints which parts failed, and which
// destinations and zones showed it.
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { newDestinationSchema } from '#lib/api/outputs/destinations.ts';
import { startRuntime } from '../compose.ts';
import { openDatabase } from '../database/open-database.ts';
import { runtime } from '../runtime.ts';
import { changeOperators } from '../sign-in/operators.ts';
import { newZone } from '../zones/new-zone.fixture.ts';

const [target = '', tables = '', wanted = ''] = process.argv.slice(2);
const expected: readonly string[] = wanted.split(',');
const caller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: true };
const seen: unknown[] = [];

async function until(isMet: () => Promise<boolean>): Promise<void> {
  while (!(await isMet())) await delay(200);
}

const other = await openDatabase(JSON.parse(target));
const operator = { name: 'al', role: 'admin' } as const;
await changeOperators(other, () => [{ ...operator, passkeys: [] }]);
await startRuntime();
const { zones, destinations, watched, readiness, audit, close } = runtime();
const config = { kind: 'webhook', url: 'http://127.0.0.1:9/hook' };
await destinations.add(newDestinationSchema.parse({ name: 'Hook', config }));
const { id } = await zones.add(caller, newZone());
await until(async () => (await watched.present()).get(id)?.state === 'watched');

const rename = (from: string, to: string) => sql.raw(`alter table ${from} rename to ${to}`).execute(other.query);
for (const table of tables.split(',')) await rename(table, `gone_${table}`);
audit.record({ operator: null, address: null, requestId: null }, { kind: 'allowance_checked' });
const startedMs = performance.now();
const firstS: Record<string, number> = {};
await until(async () => {
  const { failing } = await readiness.read();
  for (const { part } of failing) firstS[part] ??= Math.round((performance.now() - startedMs) / 1000);
  return expected.every((part) => failing.some((each) => each.part === part));
});
const { ready, failing } = await readiness.read();
seen.push({
  ready,
  firstS,
  failing: failing.map(({ part }) => part),
  zone: (await watched.present()).get(id)?.reason,
  problem: (await destinations.list())[0]?.problem?.text,
});
for (const table of tables.split(',')) await rename(`gone_${table}`, table);
await until(async () => (await readiness.read()).failing.length === 0);
seen.push({
  zone: (await watched.present()).get(id)?.state,
  problem: (await destinations.list())[0]?.problem,
});
await other.close();
await close();
process.stdout.write(`\n${JSON.stringify(seen)}\n`);
process.exit(0);
