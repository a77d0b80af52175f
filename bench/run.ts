// npm run bench -- NAME…: prints one line of JSON for each. Without a name it lists them.
export type Benchmark = { bench(): Promise<object> };

/** The names in brackets are variables that shorten a benchmark. */
const benchmarks: Readonly<Record<string, readonly [string, () => Promise<Benchmark>]>> = {
  plan: ['requests and processor time of a plan for 1000 viewers', () => import('./plan.ts')],
  zones: ['rules of 1000 zones for an answer of 20,000 tracks, and their memory', () => import('./zones.ts')],
  pacing: ['1000 days of the real engine in virtual time (PACING_DAYS)', () => import('./pacing.ts')],
  live: ['requests and processor time of a refresh for 1 and 200 viewers', () => import('./live.ts')],
  collapse: ['refreshes for 1000 identical reads of an uncached view', () => import('./collapse.ts')],
  read: ['cached answers a second, compared with a bare Next handler', () => import('./read.ts')],
  polls: ['slowest polls of 100 and 400 connections, idle and with two busy loops', () => import('./polls.ts')],
  wire: ['bytes of a record in a live answer', () => import('./wire.ts')],
  history: ['bytes of an observation in a load of the past', () => import('./history.ts')],
  split: ['requests of a load of the past, over the least possible', () => import('./split.ts')],
  segments: ['30 days on disk: bytes, encoding, pages, start (SEGMENTS_DAYS)', () => import('./segments.ts')],
  overview: ['30 days of coverage from the tally: bytes, answers, counting', () => import('./overview.ts')],
  deaf: [
    'time until a station that hears less is noticed, and false alarms (DEAF_SEEDS, DEAF_ONLY)',
    () => import('./deaf.ts'),
  ],
  kills: ['200 SIGKILLs each of ledger, counters and past (KILLS)', () => import('./kills.ts')],
  neighbours: [
    'others while one person sends the most expensive requests (NEIGHBOURS_DATABASE=postgres)',
    () => import('./neighbours/neighbours.ts'),
  ],
  'zone-kills': ['a watch killed (ZONE_KILLS), and replaced (ZONE_FAILOVERS)', () => import('./zone-kills.ts')],
  seal: ['waits of the event loop while an incident is sealed (SEAL_POSITIONS)', () => import('./seal.ts')],
  load: ['time and JavaScript to the first marks', () => import('./page/load.ts')],
  frames: ['frames a second while panning 20,000 marks (FRAMES_ROUNDS)', () => import('./page/frames.ts')],
  marks: ['main thread and memory with 20,000 moving aircraft', () => import('./page/marks.ts')],
  scrub: ['a seek among a million observations, and their memory', () => import('./page/scrub.ts')],
  'servers-collapse': ['refreshes for 300 identical reads at 3 servers', () => import('./servers/collapse.ts')],
  'servers-economy': ['6 greedy operators at 3 servers (SERVERS_ECONOMY_MS)', () => import('./servers/economy.ts')],
  'servers-kills': ['100 SIGKILLs of the writer under load (SERVERS_KILLS)', () => import('./servers/kills.ts')],
  'servers-postgres': [
    'PostgreSQL crashes and fails over (SERVERS_POSTGRES_ROUNDS)',
    () => import('./servers/postgres.ts'),
  ],
  'servers-rolling': ['3 servers replaced one by one under 200 pages', () => import('./servers/rolling.ts')],
  'servers-views': ['20,000 views at 2 readers (SERVERS_VIEWS)', () => import('./servers/views.ts')],
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
if (names.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`Unknown benchmark: ${unknown.join(', ')}\n`);
  process.stderr.write('Usage: npm run bench -- NAME…\n');
  for (const [name, [what]] of Object.entries(benchmarks)) process.stderr.write(`  ${name.padEnd(18)}${what}\n`);
  process.exit(unknown.length > 0 ? 2 : 0);
}
for (const name of names) {
  const module = await benchmarks[name]?.[1]();
  process.stdout.write(`${JSON.stringify({ bench: name, ...(await module?.bench()) })}\n`);
}
process.exit(0);
