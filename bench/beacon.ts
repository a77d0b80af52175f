import { loadavg } from 'node:os';
import { chromium, type Page } from '@playwright/test';
import { isRunning, type StartedCommand, startCommand } from '../e2e/running/started-command.ts';
import { BROWSER_FLAGS, findChromium } from '../scripts/setup/find-chromium.ts';
import { type Arrival, arrivalsOf, noteArrivals } from './beacon-hook.ts';
import { MIDDLE, type Station, startStation } from './beacon-station.ts';
import { built } from './built.ts';
import { mainThread } from './main-thread.ts';
import { type Spread, spread } from './spread.ts';

const GOAL = { reached: 0.95, drawn_median_s: 0.7, drawn_p95_s: 1.3, busy_percent_at_5000: 20 };
const AIRCRAFT = 200;
const DRONES = 20;
const MANY = 5000;
/** Code is compiled, tiles come, and the rhythm of the receiver is found. */
const WARM_UP_MS = Number(process.env.BEACON_WARM_UP_S ?? 25) * 1000;
const MEASURED_MS = Number(process.env.BEACON_S ?? 40) * 1000;
const ZOOM = 8.5;

interface Delays {
  /** Part of the positions that were at the page. */
  readonly reached: number;
  readonly answer_s: Spread;
  readonly drawn_s: Spread;
}

/** From a receiver's time to the answer at a page, and to the frame that shows it; tar1090 beside it, over the same receiver. */
export async function beacon(): Promise<object> {
  await built();
  const tar1090 = process.env.TAR1090_DIR?.trim() || undefined;
  const station = await startStation(DRONES, tar1090);
  const loads: number[] = [];
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
    const ours = await measure(`${lookout.url}/?view=${lat},${lon},${ZOOM}`, AIRCRAFT + DRONES, loads);
    const theirs =
      tar1090 && (await measure(`${station.url}/?lat=${lat}&lon=${lon}&zoom=${ZOOM + 1}&nowebgl=0`, AIRCRAFT, loads));
    const busy = await busyWith(lookout.url, station, loads);
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
      load_average: { cores_wanted: loads.map((load) => Math.round(load * 10) / 10) },
    };
  } finally {
    await station.close();
    if (lookout) {
      process.kill(lookout.pid, 'SIGTERM');
      await lookout.exited;
      if (lookout.processes.some(isRunning)) process.stderr.write('a process of Lookout is still there\n');
    }
  }
}

async function measure(url: string, perSecond: number, loads: number[]): Promise<Delays> {
  const page = await opened(url);
  try {
    await page.waitForFunction(
      () =>
        (window as unknown as { beaconArrivals: Arrival[] }).beaconArrivals.some(
          ({ drawnMs }) => drawnMs !== undefined,
        ),
      undefined,
      { timeout: 120_000 },
    );
    await page.waitForTimeout(WARM_UP_MS);
    const fromMs = Date.now();
    await page.waitForTimeout(MEASURED_MS);
    loads.push(loadavg()[0] ?? 0);
    // What was received until then has this long to come.
    await page.waitForTimeout(5000);
    const arrivals = (await arrivalsOf(page)).filter(
      ({ observedMs }) => observedMs >= fromMs && observedMs < fromMs + MEASURED_MS,
    );
    const drawn = arrivals.filter(({ drawnMs }) => drawnMs !== undefined);
    const delays = (of: readonly Arrival[], endOf: (arrival: Arrival) => number) =>
      spread(of.flatMap((arrival) => Array(arrival.positions).fill((endOf(arrival) - arrival.observedMs) / 1000)));
    const positions = arrivals.reduce((sum, each) => sum + each.positions, 0);
    return {
      reached: Math.round((1000 * positions) / ((perSecond * MEASURED_MS) / 1000)) / 1000,
      answer_s: delays(arrivals, ({ answeredMs }) => answeredMs),
      drawn_s: delays(drawn, ({ drawnMs }) => drawnMs as number),
    };
  } finally {
    await page.context().browser()?.close();
  }
}

async function busyWith(url: string, station: Station, loads: number[]) {
  station.receive(MANY);
  const page = await opened(`${url}/?view=${MIDDLE.lat},${MIDDLE.lon},${ZOOM - 1}`);
  try {
    await page.waitForFunction(
      (count) => Number(document.querySelector('[data-testid=map]')?.getAttribute('data-drawn')) >= count,
      MANY,
      { timeout: 120_000 },
    );
    await page.waitForTimeout(WARM_UP_MS);
    const before = await arrivalsOf(page);
    const busy = await mainThread(page, 20_000);
    loads.push(loadavg()[0] ?? 0);
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
