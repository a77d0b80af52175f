import { loadavg } from 'node:os';
import { chromium, expect, type Page } from '@playwright/test';
import { type StartedCommand, startCommand } from '../e2e/running/started-command.ts';
import { BROWSER_FLAGS, findChromium } from '../scripts/setup/find-chromium.ts';
import { arrivalsOf, noteArrivals } from './beacon-hook.ts';
import { MIDDLE, type Station, startStation } from './beacon-station.ts';
import { built } from './built.ts';
import { mainThread } from './main-thread.ts';
import { spread } from './spread.ts';

const GOAL = { reached: 0.95, drawn_median_s: 0.7, drawn_p95_s: 1.3, busy_percent_at_5000: 20 };
const AIRCRAFT = 200;
const DRONES = 20;
const MANY = 5000;
/** Code is compiled, tiles come, and the rhythm of the receiver is found. */
const WARM_UP_MS = Number(process.env.BEACON_WARM_UP_S ?? 25) * 1000;
const MEASURED_MS = Number(process.env.BEACON_S ?? 40) * 1000;
const ZOOM = 8.5;
const PATIENTLY = { timeout: 120_000 };

/** From a receiver's time to the answer at a page, and to the frame that shows it; tar1090 beside it, over the same receiver. */
export async function beacon(): Promise<object> {
  await built();
  const tar1090 = process.env.TAR1090_DIR?.trim() || undefined;
  const station = await startStation(DRONES, tar1090);
  let lookout: StartedCommand | undefined;
  try {
    station.receive(AIRCRAFT);
    lookout = await startCommand([
      'env',
      `RECEIVERS=${station.url},${station.drones}`,
      process.execPath,
      'scripts/bootstrap.mjs',
      'scripts/start.ts',
    ]);
    const { lat, lon } = MIDDLE;
    const ours = await measure(
      `${lookout.url}/?view=${lat},${lon},${ZOOM}`,
      (...window) => station.written(...window).all,
    );
    const theirs =
      tar1090 &&
      (await measure(
        `${station.url}/?lat=${lat}&lon=${lon}&zoom=${ZOOM + 1}&nowebgl=0`,
        (...window) => station.written(...window).aircraft,
      ));
    const busy = await busyWith(lookout.url, station);
    return {
      what: `${AIRCRAFT} aircraft and ${DRONES} drones, written once a second by two receivers; from the receiver's time to the page's main thread, and to the frame, drawn; software WebGL, 1280×800`,
      goal: { ...GOAL, drawn_median_s_at_most_that_of: 'tar1090' },
      reached:
        ours.reached >= GOAL.reached &&
        ours.drawn_s.median <= GOAL.drawn_median_s &&
        ours.drawn_s.p95 <= GOAL.drawn_p95_s &&
        busy.busy_percent <= GOAL.busy_percent_at_5000 &&
        (!theirs || (ours.drawn_s.median <= theirs.drawn_s.median && ours.drawn_s.p95 <= theirs.drawn_s.p95)),
      lookout: ours,
      tar1090: theirs ?? 'not tried: set TAR1090_DIR to a folder with wiedehopf/tar1090',
      page_with_5000: busy,
      load_average: loadavg(),
    };
  } finally {
    await station.close();
    if (lookout) {
      process.kill(lookout.pid, 'SIGTERM');
      await lookout.exited;
    }
  }
}

async function measure(url: string, written: (fromMs: number, untilMs: number) => number) {
  const page = await opened(url);
  try {
    await expect.poll(async () => (await arrivalsOf(page)).some(({ drawnMs }) => drawnMs), PATIENTLY).toBe(true);
    await page.waitForTimeout(WARM_UP_MS);
    const fromMs = Date.now();
    await page.waitForTimeout(MEASURED_MS);
    // What was received until then has this long to come.
    await page.waitForTimeout(5000);
    const arrivals = (await arrivalsOf(page)).filter(
      ({ observedMs }) => observedMs >= fromMs && observedMs < fromMs + MEASURED_MS,
    );
    const delays = (end: 'answeredMs' | 'drawnMs') =>
      spread(
        arrivals.flatMap(({ positions, observedMs, [end]: endMs }) =>
          endMs === undefined ? [] : Array<number>(positions).fill((endMs - observedMs) / 1000),
        ),
      );
    const positions = arrivals.reduce((sum, each) => sum + each.positions, 0);
    return {
      reached: Math.round((1000 * positions) / written(fromMs, fromMs + MEASURED_MS)) / 1000,
      answer_s: delays('answeredMs'),
      drawn_s: delays('drawnMs'),
    };
  } finally {
    await page.context().browser()?.close();
  }
}

async function busyWith(url: string, station: Station) {
  station.receive(MANY);
  const page = await opened(`${url}/?view=${MIDDLE.lat},${MIDDLE.lon},${ZOOM - 1}`);
  try {
    const drawn = async () => Number(await page.getByTestId('map').getAttribute('data-drawn'));
    await expect.poll(drawn, PATIENTLY).toBeGreaterThanOrEqual(MANY);
    await page.waitForTimeout(WARM_UP_MS);
    const before = await arrivalsOf(page);
    const busy = await mainThread(page, 20_000);
    const answers = new Set((await arrivalsOf(page)).slice(before.length).map(({ observedMs }) => observedMs)).size;
    return { ...busy, times_received: answers };
  } finally {
    await page.context().browser()?.close();
  }
}

/** In a browser of its own: a trace of the main thread is of one page. */
async function opened(url: string): Promise<Page> {
  const executablePath = await findChromium(() => {});
  const browser = await chromium.launch({ args: BROWSER_FLAGS, ...(executablePath && { executablePath }) });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await noteArrivals(page);
  await page.addInitScript(() => {
    localStorage.setItem(
      'lookout.preferences',
      JSON.stringify({ hintsSeen: ['marks', 'card', 'replay', 'share'], legendOpen: false }),
    );
  });
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  return page;
}
