import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type SharedFigures, shareAccount } from '#testing/greedy-operator.ts';

const GOAL_AGE_RATIO = 1.3;
const OTHERS = 4;
const TEN_MINUTES = { others: OTHERS, durationMs: 10 * MINUTE_MS, stepMs: 1000, othersMoveEveryMs: 2 * MINUTE_MS };
/** From noon to midnight: the clock of the harness starts ten seconds after noon. */
const HALF_DAY_MS = 12 * 60 * MINUTE_MS - 10_000;
const HALF_DAY = { others: OTHERS, durationMs: HALF_DAY_MS, stepMs: 50_000, othersMoveEveryMs: 120 * MINUTE_MS };
/** At the very end of a day the last request or two can be missing for what is due. */
const DAY_END_MS = 5 * MINUTE_MS;

/**
 * Five operators on one account, one of whom opens new places as fast as possible, compared with the four others alone.
 */
export async function fairPlaces(): Promise<object> {
  const accounts = {
    'default, ten minutes': { ...TEN_MINUTES, allowance: { perMinute: 600, perDay: 200_000 }, opened: 3, kept: 32 },
    '20,000 a day, ten minutes': { ...TEN_MINUTES, allowance: { perMinute: 120, perDay: 20_000 }, opened: 3, kept: 32 },
    '300 a day, from noon to midnight': { ...HALF_DAY, allowance: { perMinute: 60, perDay: 300 }, opened: 1 },
  };
  const results: Record<string, object> = {};
  let isReached = true;
  for (const [name, sharing] of Object.entries(accounts)) {
    const alone = await shareAccount({ ...sharing, opened: 0 });
    const shared = await shareAccount(sharing);
    const ageRatio = Math.round((1000 * shared.othersAgeMs) / alone.othersAgeMs) / 1000;
    const lasts = (shared.limitedAfterMs ?? sharing.durationMs) > sharing.durationMs - DAY_END_MS;
    isReached &&= ageRatio <= GOAL_AGE_RATIO && isFair(shared) && (sharing.durationMs < HALF_DAY_MS || lasts);
    results[name] = { age_ratio: ageRatio, alone, shared };
  }
  return {
    what:
      `${OTHERS} operators who watch a place each and move every two minutes (two hours on the smallest account), without and with one more who opens ` +
      'new places all over the world all the time and goes on watching the last 32; the engine over HTTP against the service, on a simulated clock',
    goal: { age_ratio: GOAL_AGE_RATIO, others_delayed: 0, refused: 0 },
    reached: isReached,
    ...results,
  };
}

function isFair({ othersDelayed, refused }: SharedFigures): boolean {
  return othersDelayed + refused === 0;
}
