import type { Browser, Page } from '@playwright/test';
import { rounded, spread } from '../figures.ts';
import { serveBareMap } from './bare-map.ts';
import { GRID_VIEW, gridSource } from './moving-grid.ts';
import { openPage, startInBrowser } from './running-page.ts';

const GOAL = { request_ms: 300, script_kb: 540, ratio: 0.7 };
const MARKS = 1000;
const ROUNDS = 5;
const LOADED_MAX_MS = 120_000;

export async function bench(): Promise<object> {
  const running = await startInBrowser(gridSource(MARKS));
  const bare = await serveBareMap();
  try {
    const { browser, url } = running;
    const rounds: (FirstMarks & { readonly mapMs: number })[] = [];
    // In turns, so that other work slows both.
    for (let round = 0; round <= ROUNDS; round++) {
      const marks = await firstMarks(browser, `${url}/?view=${GRID_VIEW}`);
      rounds.push({ ...marks, mapMs: await bareMapMs(browser, `${bare.url}#${GRID_VIEW}`) });
    }
    const warm = rounds.slice(1);
    const ratio = spread(warm.map(({ marksMs, mapMs }) => marksMs / mapMs));
    const requestMs = spread(warm.map((round) => round.requestMs));
    const scriptKb = rounded((warm.at(-1)?.scriptBytes ?? Number.NaN) / 1000, 1);
    return {
      what: `${MARKS} marks, service and app over loopback, 1280×800, software WebGL; the bare map until its first whole picture`,
      goal: GOAL,
      reached: requestMs.median <= GOAL.request_ms && scriptKb <= GOAL.script_kb && ratio.median <= GOAL.ratio,
      request_after_first_byte_ms: requestMs,
      answer_ms: spread(warm.map(({ answerMs }) => answerMs)),
      script_kb: scriptKb,
      ratio,
      first_marks_ms: spread(warm.map(({ marksMs }) => marksMs)),
      bare_map_ms: spread(warm.map(({ mapMs }) => mapMs)),
    };
  } finally {
    await bare.close();
    await running.close();
  }
}

interface FirstMarks {
  readonly marksMs: number;
  /** From the page's first byte until its first live request leaves. */
  readonly requestMs: number;
  readonly answerMs: number;
  readonly scriptBytes: number;
}

/** Scripts are compressed, without those of workers. */
async function firstMarks(browser: Browser, address: string): Promise<FirstMarks> {
  const page = await openPage(browser, {});
  await page.addInitScript(() => {
    performance.setResourceTimingBufferSize(1000);
    new PerformanceObserver((list, observer) => {
      const [drawn] = list.getEntriesByName('lookout:marks-draw');
      if (!drawn) return;
      observer.disconnect();
      const marksMs = drawn.startTime + drawn.duration;
      const resources = performance
        .getEntriesByType('resource')
        .filter((entry) => entry instanceof PerformanceResourceTiming);
      const [{ responseStart }] = performance.getEntriesByType('navigation') as [PerformanceNavigationTiming];
      // A request of the worker, which is later, is not among them.
      const live = resources.find(({ name }) => new URL(name).pathname === '/api/live');
      const scriptBytes = resources
        // Others fetch the code of MapLibre's workers, for the cache.
        .filter(({ initiatorType, responseEnd }) => /^(script|link)$/.test(initiatorType) && responseEnd <= marksMs)
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((total, { encodedBodySize }) => total + encodedBodySize, 0);
      const requestMs = live ? live.startTime - responseStart : marksMs;
      Object.assign(window, {
        firstMarks: { marksMs, requestMs, answerMs: live?.responseEnd ?? marksMs, scriptBytes },
      });
    }).observe({ entryTypes: ['measure'] });
  });
  return reported<FirstMarks>(page, address, 'firstMarks');
}

async function bareMapMs(browser: Browser, address: string) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  return reported<number>(page, address, 'mapLoadedMs');
}

async function reported<Value>(page: Page, address: string, name: string): Promise<Value> {
  try {
    await page.goto(address);
    const read = (key: string) => (window as unknown as Record<string, unknown>)[key];
    const handle = await page.waitForFunction(read, name, { timeout: LOADED_MAX_MS });
    return (await handle.jsonValue()) as Value;
  } finally {
    await page.close();
  }
}
