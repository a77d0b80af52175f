// One replica that spends from a shared ledger as fast as it can until it is killed:
//   node --conditions=react-server spend-in-fleet.fixture.ts PORT STARTED_MS
// Its time runs TIMES_FASTER than the clock. The upstream is a script in the same Redis, which counts as the contract says.
import { setTimeout as delay } from 'node:timers/promises';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Spending } from '../ports/ledger.ts';
import { RedisLink } from './connection/redis-link.ts';
import { RedisLedger } from './redis-ledger.ts';
import { connectTo } from './redis-server.fixture.ts';

const TIMES_FASTER = 20;
const NOON_MS = Date.UTC(2026, 10, 21, 12);

const UPSTREAM_MS = 60_000;
const TAKE = `
local minute = redis.call('INCR', 'upstream:minute:' .. ARGV[1])
local day = redis.call('INCR', 'upstream:day')
if minute > tonumber(ARGV[2]) or day > tonumber(ARGV[3]) then redis.call('INCR', 'upstream:refused') end
return {math.max(0, ARGV[2] - minute), math.max(0, ARGV[3] - day)}`;

const [port = '', startedMs = '', perMinute = '', perDay = ''] = process.argv.slice(2);
const nowMs = () => NOON_MS + (Date.now() - Number(startedMs)) * TIMES_FASTER;
const now = (): UpstreamInstant => upstreamInstant(nowMs());
const at = { host: '127.0.0.1', port: Number(port) };
const upstream = await RedisLink.open(at, { tls: false }, UPSTREAM_MS);
const connection = await connectTo({
  at,
  user: undefined,
  password: undefined,
  database: 0,
  tls: false,
});
const ledger = new RedisLedger({
  connection,
  account: 'killed',
  now,
  random: Math.random,
  log: { warn: () => undefined },
  beatEveryMs: SECOND_MS / TIMES_FASTER,
});

async function spend(requests: number, spending: Spending): Promise<void> {
  for (;;) {
    const reserved = await ledger.reserve(requests, spending, now());
    if (reserved.kind === 'refused') {
      await delay(20);
      continue;
    }
    for (let attempt = 0; attempt < reserved.reservation.requests; attempt++) {
      await delay(Math.random() * 20);
      const sentAt = now();
      const minute = String(Math.floor(nowMs() / MINUTE_MS));
      const left = await upstream.send(['EVAL', TAKE, '0', minute, perMinute, perDay], UPSTREAM_MS);
      await delay(Math.random() * 20);
      const [minuteRemaining, dayRemaining] = left as [number, number];
      const answer = { counted: true, minuteRemaining, dayRemaining, sentAt, receivedAt: now() };
      await ledger.attempted(reserved.reservation, answer);
    }
    await ledger.release(reserved.reservation);
  }
}

process.stdout.write('.');
await Promise.all([spend(1, 'first-view'), spend(3, 'scheduled'), spend(5, 'first-view')]);
