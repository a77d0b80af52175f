import { expect } from '@playwright/test';
import { movingGrid } from './moving-grid.ts';
import { openPage } from './running-page.ts';
import { type Spread, spread } from './spread.ts';

const UPDATES = 20;
/** Initial answers, in which code is still being compiled and columns grow. */
const WARM_UP = 4;
/** Without a graphics card, drawing at full resolution takes the processors from the page that is measured. */
const COARSE = 0.25;
const GOAL_UPDATE_MS = 8;
const GOAL_LONGEST_TASK_MS = 50;

interface Run {
  readonly marks: number;
  readonly panel: 'open' | 'closed';
  readonly updates: number;
  /** Apply the answer, draw the picture, pack the marks, update labels and table. */
  readonly update_ms: Spread;
  /** Upload and draw in the map's frame. */
  readonly frame_ms: Spread;
  /** The sum of both, per update. */
  readonly main_thread_ms: Spread;
  readonly tasks_over_50_ms: number;
  readonly longest_task_ms: number;
  /** Share of time in which the main thread was busy, including ageing ticks, React and garbage collection. */
  readonly busy_percent: number;
  readonly heap_mb: number;
}

/** 20,000 moving marks in the real page: the cost of one update on the main thread, compared with 1000 marks. */
export async function marks(): Promise<object> {
  const many = await measure(20_000, 'closed');
  const withPanel = await measure(20_000, 'open');
  const few = await measure(1000, 'closed');
  return {
    what: 'real page, service and app over loopback, all marks move in every answer, 1280×800 drawn at a quarter of its resolution, software WebGL',
    goal: { update_ms: GOAL_UPDATE_MS, longest_task_ms: GOAL_LONGEST_TASK_MS },
    reached: many.main_thread_ms.median <= GOAL_UPDATE_MS && many.longest_task_ms <= GOAL_LONGEST_TASK_MS,
    ratio_20000_to_1000: Math.round((many.main_thread_ms.median / few.main_thread_ms.median) * 10) / 10,
    runs: [many, withPanel, few],
  };
}

async function measure(count: number, panel: Run['panel']): Promise<Run> {
  const running = await openPage(movingGrid(count), COARSE);
  try {
    const { page, url } = running;
    await page.addInitScript((panelOpen) => {
      window.sessionStorage.setItem('lookout.measure', '1');
      window.localStorage.setItem('lookout.preferences', JSON.stringify({ panelOpen, legendOpen: false }));
      const tasks: number[] = [];
      Object.assign(window, { lookoutLongTasks: tasks });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) tasks.push(entry.duration);
      }).observe({ entryTypes: ['longtask'] });
    }, panel === 'open');
    await page.goto(`${url}/?view=0,15,4.2`);
    const map = page.getByTestId('map');
    const drawn = async () => Number(await map.getAttribute('data-drawn'));
    // A track whose reference has rotated is on the map under both until the old one expires.
    await expect.poll(drawn, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);

    const timings = (name: string) =>
      page.evaluate(
        (wanted) => performance.getEntriesByName(wanted).map(({ startTime, duration }) => ({ startTime, duration })),
        name,
      );
    const updatesSeen = async () => (await timings('lookout:update')).length;
    await expect.poll(updatesSeen, { timeout: 120_000 }).toBeGreaterThanOrEqual(WARM_UP);

    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const metrics = async () =>
      new Map((await devtools.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
    const before = await metrics();
    await page.evaluate(() => {
      performance.clearMeasures();
      (window as unknown as { lookoutLongTasks: number[] }).lookoutLongTasks.length = 0;
    });
    await expect.poll(updatesSeen, { timeout: 300_000, intervals: [1000] }).toBeGreaterThanOrEqual(UPDATES);
    const after = await metrics();
    const longTasks = await page.evaluate(() => (window as unknown as { lookoutLongTasks: number[] }).lookoutLongTasks);

    const updates = await timings('lookout:update');
    const uploads = await timings('lookout:marks-upload');
    const draws = await timings('lookout:marks-draw');
    // The frame of an update is the first upload after it and the draw that follows.
    const frames = updates.map(({ startTime }) => {
      const upload = uploads.find((entry) => entry.startTime >= startTime);
      const draw = draws.find((entry) => entry.startTime >= (upload?.startTime ?? startTime));
      return (upload?.duration ?? 0) + (draw?.duration ?? 0);
    });
    await devtools.send('HeapProfiler.collectGarbage');
    const heap = (await metrics()).get('JSHeapUsedSize') ?? 0;
    const busyS = (after.get('TaskDuration') ?? 0) - (before.get('TaskDuration') ?? 0);
    const wallS = (after.get('Timestamp') ?? 0) - (before.get('Timestamp') ?? 0);
    return {
      marks: count,
      panel,
      updates: updates.length,
      update_ms: spread(updates.map(({ duration }) => duration)),
      frame_ms: spread(frames),
      main_thread_ms: spread(updates.map(({ duration }, index) => duration + (frames[index] ?? 0))),
      tasks_over_50_ms: longTasks.length,
      longest_task_ms: Math.round(Math.max(0, ...longTasks)),
      busy_percent: Math.round((busyS / wallS) * 1000) / 10,
      heap_mb: Math.round(heap / 1e5) / 10,
    };
  } finally {
    await running.close();
  }
}
