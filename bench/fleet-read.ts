import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { COMPACT_LIVE_TYPE, type CompactHead, formatSince } from '#lib/api/compact-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { type RunningFleet, startFleet } from '../e2e/running/running-fleet.ts';
import { type RunningLookout, startLookout } from '../e2e/running/running-lookout.ts';
import { answersASecond } from './answers-a-second.ts';
import { built } from './built.ts';
import { signedIn } from './signed-in.ts';

const REPLICAS = 3;
/** Chosen so that about a thousand are live in the view of the hot read, as in the benchmark `read`. */
const AIRCRAFT = 2900;
const VIEW = 'bbox=-6,33,22,60&layers=adsb';
const ROUNDS = 11;
/** Until a server's code is compiled: each has to answer as many. */
const WARM_UP_ROUNDS = 4;
const ANSWERS = 400;
const CONNECTIONS = 16;
const VIEWERS = Number(process.env.FLEET_READ_VIEWERS ?? 1000);
/** A session keeps 32 views: with more pages each poll would be a new view, and push another one out. */
const PAGES_OF_SESSION = 20;
const PLACES = 12;
/** Until all places have been read, and the pace has settled. */
const SETTLE_MS = 30_000;
const WATCH_MS = Number(process.env.FLEET_READ_MS ?? 60_000);
const GOALS = { cpu_ratio: 1.1, commands_for_each_poll: 0.1 };
/** Those of the script that writes a snapshot: others have fewer. */
const KEYS_OF_PUT = '6';
/** Of /proc: hundredths of a second. */
const MS_PER_TICK = 10;

/** One server, or several that are asked in turn. */
interface Asked {
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  /** One for each operator. */
  readonly cookies: readonly [string, ...string[]];
}

/** What a hot read costs a server that shares what it knows with others, beside one that is alone. */
export async function fleetRead(): Promise<object> {
  await built();
  const common = { service: { options: ['--tracks', `${AIRCRAFT},0`] }, settings: { LOG_LEVEL: 'silent' } };
  const lookout = await startLookout({ ...common, operators: ['bench'] });
  try {
    const operators = Array.from({ length: Math.ceil(VIEWERS / PAGES_OF_SESSION) }, (_, index) => `bench-${index}`);
    const fleet = await startFleet({ ...common, operators, replicas: REPLICAS });
    try {
      return await compared(lookout, fleet);
    } finally {
      await fleet.stop();
    }
  } finally {
    await lookout.stop();
  }
}

async function compared(lookout: RunningLookout, fleet: RunningFleet): Promise<object> {
  const [alone, shared] = await Promise.all([
    asked([lookout.app], lookout.operators),
    asked(
      fleet.replicas.map(({ app }) => app),
      fleet.operators,
    ),
  ]);
  const hot = await hotReads(alone, shared);
  await watched(shared, SETTLE_MS);
  const counted = await countCommands(fleet.store.port);
  const viewers = await watched(shared, WATCH_MS);
  const { refreshes, reads } = counted();
  const perPoll = (commands: Readonly<Record<string, number>>) =>
    rounded(sum(Object.values(commands)) / viewers.polls, 3);
  const ratio = sum(hot.with_store_us) / hot.with_store_us.length / hot.without_us;
  return {
    what: `processor time of a server for each answer, signed in: the usual poll and a full frame of ${hot.records} aircraft in turn, back to back over ${CONNECTIONS} connections, medians of ${ROUNDS} rounds of ${ANSWERS} answers, of one server alone and of each of ${REPLICAS} with a store; then ${VIEWERS} pages of ${shared.cookies.length} operators around ${PLACES} places who poll when they are told to, each poll at the next server: commands of the store, those that refreshes need (ledger, leases, what is written) apart`,
    goal: GOALS,
    reached: ratio <= GOALS.cpu_ratio && perPoll(reads) <= GOALS.commands_for_each_poll,
    cpu_ratio: rounded(ratio),
    commands_for_each_poll: perPoll(reads),
    those_of_refreshes_for_each_poll: perPoll(refreshes),
    hot,
    viewers,
    commands: { reads, refreshes },
  };
}

async function asked(
  apps: readonly { readonly url: string; readonly pid: number }[],
  operators: RunningFleet['operators'],
): Promise<Asked> {
  const url = apps[0]?.url ?? '';
  const cookies: string[] = [];
  for (const operator of operators) cookies.push(await signedIn(url, operator));
  const [first, ...others] = cookies;
  if (first === undefined) throw new Error('there is nobody');
  return { urls: apps.map((app) => app.url), pids: apps.map(({ pid }) => pid), cookies: [first, ...others] };
}

/** Processor time for each answer, in microseconds: of the usual poll and of a full frame in turn. */
async function hotReads(alone: Asked, shared: Asked) {
  const servers = [alone, shared].flatMap(({ urls, pids, cookies: [cookie] }) =>
    urls.map((url, index) => ({ url, pid: pids[index] as number, cookie, us: [] as number[] })),
  );
  let records = 0;
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const { url, pid, cookie, us } of servers) {
      const headers = { cookie, accept: COMPACT_LIVE_TYPE };
      const address = `${url}/api/live?${VIEW}&page=bench`;
      const first = await fetch(address, { headers });
      const head = splitHead(new Uint8Array(await first.arrayBuffer())).head as CompactHead;
      const since = encodeURIComponent(formatSince(sequencesOf(head)));
      const before = cpuMs(pid);
      for (const query of ['', `&since=${since}`]) {
        await answersASecond(address + query, { answers: ANSWERS / 2, connections: CONNECTIONS, headers });
      }
      if (round >= 0) us.push(((cpuMs(pid) - before) / ANSWERS) * 1000);
      else records = await recordsInView(address, cookie);
    }
  }
  const [without = Number.NaN, ...withStore] = servers.map(({ us }) => median(us));
  return { records, without_us: without, with_store_us: withStore };
}

/** Polls as all viewers do, for that long. */
async function watched(of: Asked, ms: number) {
  const endsMs = Date.now() + ms;
  const pools = of.urls.map((url) => new Pool(url, { connections: CONNECTIONS }));
  const tally = { polls: 0, full: 0, bytes: 0 };
  let turn = 0;
  const viewer = async (index: number) => {
    const cookie = of.cookies[index % of.cookies.length] as string;
    const [west, south] = [-120 + 20 * (index % PLACES) + (index % 7) / 10, 40 + (index % 5) / 10];
    const view = `bbox=${west},${south},${west + 2},${south + 1.5}&layers=rid,adsb&page=viewer-${index}`;
    let since: ReadonlyMap<string, number> = new Map();
    // Not all at once.
    await delay(Math.min(ms, (index / VIEWERS) * 5000));
    while (Date.now() < endsMs) {
      const pool = pools[turn++ % pools.length] as Pool;
      const path = `/api/live?${view}${since.size === 0 ? '' : `&since=${encodeURIComponent(formatSince(since))}`}`;
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path,
        headers: { cookie, accept: COMPACT_LIVE_TYPE },
      });
      const answer = new Uint8Array(await body.arrayBuffer());
      if (statusCode !== 200) throw new Error(`a poll was answered with ${statusCode}`);
      const head = splitHead(answer).head as CompactHead;
      tally.polls++;
      tally.bytes += answer.byteLength;
      for (const { area, deltas } of partsOf(head)) if (!deltas && since.has(area)) tally.full++;
      since = sequencesOf(head);
      await delay(Math.max(0, Math.min(head.next_poll_ms, endsMs - Date.now())));
    }
  };
  await Promise.all(Array.from({ length: VIEWERS }, (_, index) => viewer(index)));
  await Promise.all(pools.map((pool) => pool.close()));
  const { polls, full, bytes } = tally;
  return {
    polls,
    /** Areas that were sent whole to a viewer who had them. */
    full_frames_again: full,
    bytes_for_each: Math.round(bytes / polls),
  };
}

function partsOf({ layers }: CompactHead) {
  return [...(layers.rid?.parts ?? []), ...(layers.adsb?.parts ?? [])];
}

function sequencesOf(head: CompactHead): ReadonlyMap<string, number> {
  return new Map(partsOf(head).map(({ area, sequence }) => [area, sequence]));
}

async function recordsInView(address: string, cookie: string): Promise<number> {
  const answer = (await (await fetch(address, { headers: { cookie } })).json()) as {
    layers: { adsb: { records: unknown[] } };
  };
  return answer.layers.adsb.records.length;
}

/** Processor time that a process has used so far. */
function cpuMs(pid: number): number {
  // After the name, which may contain anything: the state is field 3, utime 14, stime 15.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** Counts what is sent to the store, by what it is about, until it is asked for. */
async function countCommands(port: number) {
  const refreshes: Record<string, number> = {};
  const reads: Record<string, number> = {};
  const socket = connect(port, '127.0.0.1');
  const lines = createInterface({ input: socket });
  lines.on('line', (line) => {
    // What scripts do is said of `lua`; after a script's digest comes the number of its keys.
    const [, from, command = '', keys, key = ''] =
      /^\+[\d.]+ \[\d+ (\S+)\] "(\w+)"(?: "\w{40}" "(\d+)")?(?: "([^"]*)")?/.exec(line) ?? [];
    if (from === undefined || from === 'lua') return;
    const name = key.startsWith('{lookout:') ? (key.split(':')[2] ?? '') : command.toLowerCase();
    const isOfRefresh = name === 'ledger' || name === 'lease' || (name.startsWith('snapshots') && keys === KEYS_OF_PUT);
    const counted = isOfRefresh ? refreshes : reads;
    counted[name] = (counted[name] ?? 0) + 1;
  });
  socket.write('MONITOR\r\n');
  await once(lines, 'line');
  return () => {
    socket.destroy();
    return { refreshes, reads };
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? Number.NaN);
}

function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}
