import { expect } from '@playwright/test';
import { upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Source } from '#service/sources/observation.ts';
import { openSource } from '#service/sources/open-source.ts';
import { openPage } from './running-page.ts';
import { spread } from './spread.ts';

const GOAL_MS = 300;
const LOADS = 8;
/** Initial loads, which also fetch the worker and the code. Reported separately. */
const WARM_UP = 1;
const WINDOW_MS = 15 * MINUTE_MS;
/** Every load uses a different window, so that nothing of it is cached. */
const FIRST_ENDED_AGO_MS = 5 * MINUTE_MS;

/** The time from the service's first answer to the first mark of a replay, in the real page. */
export async function firstPicture(): Promise<object> {
  const source = await openSource(
    { kind: 'simulator', seed: 1, aircraft: 2000, drones: 100 },
    upstreamInstant(Date.now()),
    () => {},
  );
  const watched = watch(source);
  const running = await openPage(watched.source);
  try {
    const { page, url } = running;
    await page.addInitScript(() => {
      window.sessionStorage.setItem('lookout.measure', '1');
      localStorage.setItem('lookout.preferences', JSON.stringify({ replayAutoLoadMax: 0 }));
      const seen = { firstMarkMs: Number.NaN };
      Object.assign(window, { lookoutSeen: seen });
      // The measure exists only once there is a mark to draw.
      new PerformanceObserver((list) => {
        const [first] = list.getEntriesByName('lookout:marks-draw');
        if (!first || !Number.isNaN(seen.firstMarkMs)) return;
        seen.firstMarkMs = performance.timeOrigin + first.startTime + first.duration;
      }).observe({ entryTypes: ['measure'] });
    });
    const waits: number[] = [];
    for (let load = 0; load < LOADS + WARM_UP; load++) {
      const end = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - FIRST_ENDED_AGO_MS - load * WINDOW_MS;
      const [from, to, at] = [end - WINDOW_MS, end, end - WINDOW_MS + 20_000].map((ms) => new Date(ms).toISOString());
      await page.goto(`${url}/?view=46.9,8.2,7.5&layers=adsb&from=${from}&to=${to}&at=${at}`);
      const button = page.getByRole('button', { name: /^Load \d+ (h|min)/ });
      await button.waitFor();
      // Wait for the map and the quoted price, as an operator would.
      await page.waitForLoadState('networkidle');
      watched.reset();
      await button.click();
      const firstMark = () =>
        page.evaluate(() => (window as unknown as { lookoutSeen: { firstMarkMs: number } }).lookoutSeen.firstMarkMs);
      await expect.poll(firstMark, { timeout: 60_000, intervals: [100] }).not.toBeNaN();
      waits.push((await firstMark()) - watched.firstAnswerMs());
    }
    const warm = spread(waits.slice(WARM_UP));
    return {
      what: 'from the service’s first history answer to the first replayed mark on the map, real page, service and app over loopback, 15 min around Switzerland, software WebGL',
      goal: { median_ms: GOAL_MS },
      reached: warm.median <= GOAL_MS,
      loads: LOADS,
      first_picture_ms: warm,
      first_of_the_visit_ms: Math.round(waits[0] as number),
    };
  } finally {
    await running.close();
  }
}

/** Wraps the source and records when it first returned history: before anything of the answer has left the service. */
function watch(source: Source) {
  let firstMs = Number.NaN;
  return {
    source: {
      ...source,
      live: source.live.bind(source),
      history: (...request: Parameters<Source['history']>) => {
        const answer = source.history(...request);
        if (Number.isNaN(firstMs)) firstMs = performance.timeOrigin + performance.now();
        return answer;
      },
    },
    reset: () => {
      firstMs = Number.NaN;
    },
    firstAnswerMs: () => firstMs,
  };
}
