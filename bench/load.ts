import { gzipSync } from 'node:zlib';
import type { Browser, Response } from '@playwright/test';
import { serveEmptyMap } from './empty-map.ts';
import { movingGrid } from './moving-grid.ts';
import { openPage } from './running-page.ts';
import { spread } from './spread.ts';

const GOAL = { own_kb_gzip: 560, ratio: 1.3 };
const MARKS = 1000;
/** The two pages take turns: other work on the machine slows both. */
const ROUNDS = 5;
/** What is loaded later by itself has come by then. */
const SETTLE_MS = 15_000;
const VIEW = '0,15,4.2';

/** What a page says of itself at its first marks. */
interface FirstMarks {
  readonly atMs: number;
  /** Paths of the scripts that the page itself, not a worker, had by then. */
  readonly own: readonly string[];
}

interface Script {
  readonly path: string;
  readonly gzipBytes: number;
  readonly endedMs: number;
}

/** The way to the first marks, with nothing in the browser's cache: the JavaScript that it takes, and the time beside that of a page with nothing but a map. */
export async function load(): Promise<object> {
  const running = await openPage(movingGrid(MARKS));
  const empty = await serveEmptyMap();
  try {
    const browser = running.page.context().browser();
    if (!browser) throw new Error('the page has no browser');
    const address = `${running.url}/?view=${VIEW}`;
    // The first load compiles the server's code, and makes it read the area.
    await firstMarks(browser, address);
    await emptyMapMs(browser, empty.url);
    const rounds: { readonly first_marks_ms: number; readonly empty_map_ms: number; readonly ratio: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { first } = await firstMarks(browser, address);
      const emptyMs = await emptyMapMs(browser, empty.url);
      rounds.push({
        first_marks_ms: Math.round(first.atMs),
        empty_map_ms: Math.round(emptyMs),
        ratio: Math.round((first.atMs / emptyMs) * 100) / 100,
      });
    }
    const { first, scripts } = await firstMarks(browser, address, SETTLE_MS);
    const before = scripts.filter(({ endedMs }) => endedMs <= first.atMs);
    const own = before.filter(({ path }) => first.own.includes(path));
    const workers = before.filter(({ path }) => !first.own.includes(path));
    const ratio = spread(rounds.map((round) => round.ratio)).median;
    return {
      what: `${MARKS} marks, service and app over loopback, 1280×800, software WebGL, empty cache; beside a page with MapLibre and the built-in map alone, until its first whole picture`,
      goal: GOAL,
      reached: kb(own) <= GOAL.own_kb_gzip && ratio <= GOAL.ratio,
      own_kb_gzip: kb(own),
      workers_kb_gzip: kb(workers),
      after_first_marks_kb_gzip: kb(scripts.filter(({ endedMs }) => endedMs > first.atMs)),
      ratio,
      first_marks_ms: spread(rounds.map((round) => round.first_marks_ms)),
      empty_map_ms: spread(rounds.map((round) => round.empty_map_ms)),
      rounds,
    };
  } finally {
    await empty.close();
    await running.close();
  }
}

async function firstMarks(
  browser: Browser,
  address: string,
  settleMs = 0,
): Promise<{ readonly first: FirstMarks; readonly scripts: readonly Script[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    const responses: Response[] = [];
    page.on('response', (response) => {
      if (/\.m?js$/.test(new URL(response.url()).pathname)) responses.push(response);
    });
    await page.addInitScript(() => {
      sessionStorage.setItem('lookout.measure', '1');
      performance.setResourceTimingBufferSize(1000);
      new PerformanceObserver((list, observer) => {
        // The measure exists only once there is a mark to draw.
        const [drawn] = list.getEntriesByName('lookout:marks-draw');
        if (!drawn) return;
        observer.disconnect();
        const atMs = drawn.startTime + drawn.duration;
        const own = performance
          .getEntriesByType('resource')
          .filter((entry) => entry instanceof PerformanceResourceTiming && /script|link/.test(entry.initiatorType))
          .filter(({ name, startTime, duration }) => /\.m?js$/.test(name) && startTime + duration <= atMs)
          .map(({ name }) => new URL(name).pathname);
        Object.assign(window, { lookoutFirst: { atMs, own } });
      }).observe({ entryTypes: ['measure'] });
    });
    await page.goto(address);
    const handle = await page.waitForFunction(
      () => (window as unknown as { lookoutFirst?: FirstMarks }).lookoutFirst,
      undefined,
      { timeout: 120_000 },
    );
    const first = (await handle.jsonValue()) as FirstMarks;
    const openedMs = await page.evaluate(() => performance.timeOrigin);
    await page.waitForTimeout(settleMs);
    const scripts = new Map<string, Script>();
    for (const response of responses) {
      const path = new URL(response.url()).pathname;
      const { startTime, responseEnd } = response.request().timing();
      const endedMs = startTime + responseEnd - openedMs;
      // A script that a worker takes from the cache is counted once.
      if ((scripts.get(path)?.endedMs ?? Number.POSITIVE_INFINITY) <= endedMs) continue;
      scripts.set(path, { path, gzipBytes: gzipSync(await response.body(), { level: 9 }).byteLength, endedMs });
    }
    return { first, scripts: [...scripts.values()] };
  } finally {
    await context.close();
  }
}

/** Until the map's first whole picture. */
async function emptyMapMs(browser: Browser, address: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.goto(`${address}#${VIEW}`);
    const loaded = await page.waitForFunction(
      () => (window as unknown as { mapLoadedMs?: number }).mapLoadedMs,
      undefined,
      { timeout: 120_000 },
    );
    return (await loaded.jsonValue()) as number;
  } finally {
    await context.close();
  }
}

function kb(scripts: readonly Script[]): number {
  return Math.round(scripts.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0) / 100) / 10;
}
