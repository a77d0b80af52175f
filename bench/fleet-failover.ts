import { setTimeout as delay } from 'node:timers/promises';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { startFleet } from '../e2e/running/running-fleet.ts';
import { built } from './built.ts';
import { nothingAnswered, viewer } from './fleet-viewers.ts';

const REPLICAS = 3;
const VIEWERS = 100;
const BEFORE_MS = 10 * SECOND_MS;
const AFTER_MS = 20 * SECOND_MS;
const FRESH_WITHIN_S = 15;
/** Of the store's return. */
const BACK_WITHIN_S = 5;
/** Intervals are 5 s, a tenth of that shorter or longer, and requests take their time. */
const ASKED_AGAIN_S = 4;
const GIVEN_UP_MS = 60 * SECOND_MS;

/** The primary of the store is killed under load, and the Sentinels put one of its two replicas in its place. */
export async function fleetFailover(): Promise<object> {
  await built();
  const fleet = await startFleet({
    replicas: REPLICAS,
    sentinels: true,
    service: { options: ['--allowance', '600,200000'] },
  });
  const answered = nothingAnswered();
  let isOver = false;
  try {
    const viewers = Array.from({ length: VIEWERS }, (_, index) =>
      viewer(fleet.url, index, FRESH_MAX_MS, answered, () => isOver),
    );
    await delay(BEFORE_MS);
    const before = { ...answered, failed: { ...answered.failed } };
    Object.assign(answered, { longestAgeMs: 0 });
    await fleet.service.forgetRequests();
    const killedMs = Date.now();
    await fleet.store.kill();
    // Read after the failover, and not by a refresh that was under way: everywhere.
    const isFresh = () => Math.min(...answered.newestMs.values()) >= killedMs + SECOND_MS;
    const isGivenUp = () => Date.now() - killedMs > GIVEN_UP_MS;
    while (!fleet.hasOtherPrimary() && !isGivenUp()) await delay(50);
    const returnedMs = Date.now();
    while (!isFresh() && !isGivenUp()) await delay(20);
    const freshS = (Date.now() - killedMs) / SECOND_MS;
    const backS = (Date.now() - returnedMs) / SECOND_MS;
    await delay(AFTER_MS);
    isOver = true;
    await Promise.all(viewers);
    const asked = await fleet.service.requests();
    const askedAgainS = shortestPauseMs(asked) / SECOND_MS;
    const lost = Object.values(answered.failed).reduce((sum, each) => sum + each, 0);
    return {
      what: `${VIEWERS} viewers of ${REPLICAS} replicas behind nginx poll twice a second; the store's primary gets SIGKILL, and three Sentinels put one of its two replicas in its place after 3 s`,
      goal: {
        fresh_within_s: FRESH_WITHIN_S,
        back_within_s: BACK_WITHIN_S,
        requests_lost: 0,
        wrong: 0,
        asked_again_s: ASKED_AGAIN_S,
      },
      reached:
        freshS <= FRESH_WITHIN_S &&
        backS <= BACK_WITHIN_S &&
        lost === 0 &&
        answered.wrong === 0 &&
        askedAgainS >= ASKED_AGAIN_S,
      fresh_after_s: Number(freshS.toFixed(1)),
      back_after_s: Number(backS.toFixed(1)),
      longest_age_s: Number((answered.longestAgeMs / SECOND_MS).toFixed(1)),
      longest_age_before_s: Number((before.longestAgeMs / SECOND_MS).toFixed(1)),
      answers: answered.answers,
      requests_lost: answered.failed,
      wrong: answered.wrong,
      upstream_requests_since: asked.length,
      asked_again_s: Number(askedAgainS.toFixed(1)),
    };
  } finally {
    isOver = true;
    await fleet.stop();
  }
}

/** Between two requests for the same place. */
function shortestPauseMs(asked: readonly { readonly query: string; readonly received_at: string }[]): number {
  const places = Map.groupBy(asked, ({ query }) => query).values();
  const pauses = places.flatMap((each) => {
    const times = each.map(({ received_at }) => Date.parse(received_at)).sort((a, b) => a - b);
    return times.slice(1).map((time, index) => time - (times[index] as number));
  });
  return Math.min(...pauses);
}
