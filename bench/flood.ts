import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { flood as hostileFlood, newTally } from '#testing/hostile-requests.ts';
import { startLookout } from '../e2e/running/running-lookout.ts';
import { built } from './built.ts';
import { InspectedHeap } from './inspected-heap.ts';
import { signedIn } from './signed-in.ts';
import { pollsBesideStrangers } from './strangers.ts';

const REQUESTS = Number(process.env.FLOOD_REQUESTS ?? 100_000);
/** Before memory is compared: code is compiled, and caches are filled. */
const WARM_UP = REQUESTS / 10;
const SEED = 1;
const CONNECTIONS = 16;
/** Then connections that were kept have been closed. */
const REST_MS = 5000;
const BACK_MB = 5;

/** Random and hostile requests, signed in and not, against the built app; then polls beside many connections without a session. */
export async function flood(): Promise<object> {
  await built();
  const lookout = await startLookout({
    operators: ['flood'],
    settings: { LOG_LEVEL: 'error', NODE_OPTIONS: '--inspect=127.0.0.1:0' },
  });
  try {
    const [account] = lookout.operators;
    if (!account) throw new Error('no operator');
    const cookie = await signedIn(lookout.url, account);
    const heap = await InspectedHeap.connect(lookout.app.stderr());
    const run = async (requests: number, seed: number) => {
      const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
      const tally = newTally();
      const began = performance.now();
      await hostileFlood(lookout.url, { seed, requests, cookie, agent, tally });
      const tookS = (performance.now() - began) / 1000;
      agent.destroy();
      await delay(REST_MS);
      const { heapMb, buffersMb } = await heap.used();
      return { ...tally, a_second: Math.round(requests / tookS), heapMb: heapMb + buffersMb };
    };
    await lookout.service.forgetRequests();
    const warm = await run(WARM_UP, SEED);
    const { statuses, failed, accepted, a_second, heapMb } = await run(REQUESTS, SEED + 1);
    heap.close();
    const upstream = (await lookout.service.requests()).length;
    const beside = await pollsBesideStrangers(lookout.url, cookie);
    const grownMb = Math.round((heapMb - warm.heapMb) * 10) / 10;
    return {
      what: `${REQUESTS} random and hostile requests over ${CONNECTIONS} connections, 60% with a session, one in twenty as bytes that are no request; memory of the app, buffers included, after a collection, beside that after ${WARM_UP} such requests`,
      goal: { failed: 0, upstream_requests: 0, grown_mb: BACK_MB },
      beside_strangers: beside,
      reached:
        beside.reached && failed.length + warm.failed.length + accepted.length + upstream === 0 && grownMb <= BACK_MB,
      statuses: Object.fromEntries([...statuses].toSorted(([one], [other]) => one - other)),
      failed: failed.slice(0, 5),
      accepted: accepted.slice(0, 5),
      upstream_requests: upstream,
      requests_a_second: a_second,
      heap_mb: [warm.heapMb, heapMb].map((mb) => Math.round(mb * 10) / 10),
      grown_mb: grownMb,
    };
  } finally {
    await lookout.stop();
  }
}
