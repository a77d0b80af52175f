import { expect, type Page } from '@playwright/test';
import { type MainThread, type Span, traceMainThread } from './main-thread.ts';
import { movingGrid } from './moving-grid.ts';
import { openPage } from './running-page.ts';
import { type Spread, spread } from './spread.ts';
import { watchWorker } from './worker-costs.ts';

const UPDATES = 20;
/** Answers at first, in which code is still compiled and columns grow. */
const WARM_UP = 4;
const LONG_TASK_MS = 50;

export interface MarksRun {
  readonly marks: number;
  readonly panel: 'open' | 'closed';
  readonly updates: number;
  /** Main thread: the worker's message read. */
  readonly message_ms: Spread;
  /** Main thread: answer applied, picture made, marks packed, labels made, React told. */
  readonly accept_ms: Spread;
  /** Main thread: upload and draw in the map's next frame. */
  readonly gpu_ms: Spread;
  /** The three above, update by update: from the worker's message to the marks handed to the graphics process. */
  readonly update_ms: Spread;
  /** The whole tasks in which that happens: React's rendering and the rest of the map's frame included. */
  readonly accept_task_ms: Spread;
  readonly frame_task_ms: Spread;
  /** The whole task in which everything ages, each second. */
  readonly tick_task_ms: Spread;
  readonly tasks_over_50_ms: number;
  /** What those tasks held. */
  readonly long_tasks_of: Readonly<Record<string, number>>;
  readonly longest_task_ms: number;
  /** All tasks of the page's main thread. */
  readonly busy_percent: number;
  /** Worker: from an answer's text to its columns handed over. */
  readonly decode_ms: Spread;
  readonly wire_bytes: number;
  readonly text_bytes: number;
  readonly heap_mb: number;
}

/** `count` marks in the real page, over `UPDATES` real polls after the first few. */
export async function measureMarks(count: number, panel: MarksRun['panel']): Promise<MarksRun> {
  const running = await openPage(movingGrid(count));
  try {
    const { page, browser, url } = running;
    await page.addInitScript((panelOpen) => {
      window.sessionStorage.setItem('lookout.measure', '1');
      window.localStorage.setItem('lookout.preferences', JSON.stringify({ panelOpen, legendOpen: false }));
    }, panel === 'open');
    await page.goto(`${url}/?view=0,15,4.2`);
    await expect(page.getByTestId('map')).toHaveAttribute('data-drawn', String(count), { timeout: 60_000 });
    await updatesSeen(page, WARM_UP);

    const workerCosts = await watchWorker(page);
    const main = await traceMainThread(browser, page, 'lookout:update', async () => {
      await page.evaluate(() => performance.clearMeasures());
      await updatesSeen(page, UPDATES);
    });
    const { decodeMs, wireBytes, textBytes } = await workerCosts();
    return {
      marks: count,
      panel,
      ...mainThreadFigures(main),
      decode_ms: spread(decodeMs),
      wire_bytes: spread(wireBytes).median,
      text_bytes: spread(textBytes).median,
      heap_mb: await heapMb(page),
    };
  } finally {
    await running.close();
  }
}

async function updatesSeen(page: Page, wanted: number): Promise<void> {
  const seen = () => page.evaluate(() => performance.getEntriesByName('lookout:update').length);
  await expect.poll(seen, { timeout: 300_000, intervals: [1000] }).toBeGreaterThanOrEqual(wanted);
}

function mainThreadFigures(main: MainThread) {
  const messages = main.timings('lookout:message');
  const uploads = main.timings('lookout:marks-upload');
  const draws = main.timings('lookout:marks-draw');
  // Each update with the message before it, and the first upload and draw after it. The last may still wait for its frame.
  const updates = main.timings('lookout:update').flatMap((accept) => {
    const message = messages.findLast((span) => span.startMs <= accept.startMs);
    const upload = uploads.find((span) => span.startMs >= accept.startMs);
    const draw = upload && draws.find((span) => span.startMs >= upload.startMs);
    return message && upload && draw ? [{ message, accept, upload, draw }] : [];
  });
  const taskOf = (inside: Span) => main.tasks.find((task) => holds(task, inside))?.durationMs ?? Number.NaN;
  const long = main.tasks.filter(({ durationMs }) => durationMs > LONG_TASK_MS);
  const parts = {
    accept: main.timings('lookout:update'),
    frame: main.timings('lookout:marks-draw'),
    tick: main.timings('lookout:tick'),
  };
  const longTasksOf: Record<string, number> = {};
  for (const task of long) {
    const held = Object.entries(parts).filter(([, spans]) => spans.some((span) => holds(task, span)));
    const name = held.map(([part]) => part).join('+') || 'other';
    longTasksOf[name] = (longTasksOf[name] ?? 0) + 1;
  }
  const [first, last] = [main.tasks[0], main.tasks.at(-1)];
  const wallMs = first && last ? last.startMs + last.durationMs - first.startMs : Number.NaN;
  const busyMs = main.tasks.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const gpuMs = (update: (typeof updates)[number]) => update.upload.durationMs + update.draw.durationMs;
  return {
    updates: updates.length,
    message_ms: spread(updates.map(({ message }) => message.durationMs)),
    accept_ms: spread(updates.map(({ accept }) => accept.durationMs)),
    gpu_ms: spread(updates.map(gpuMs)),
    update_ms: spread(updates.map((update) => update.message.durationMs + update.accept.durationMs + gpuMs(update))),
    accept_task_ms: spread(updates.map(({ accept }) => taskOf(accept))),
    frame_task_ms: spread(updates.map(({ draw }) => taskOf(draw))),
    tick_task_ms: spread(parts.tick.map(taskOf)),
    tasks_over_50_ms: long.length,
    long_tasks_of: longTasksOf,
    longest_task_ms: Math.round(Math.max(0, ...main.tasks.map(({ durationMs }) => durationMs))),
    busy_percent: Math.round((busyMs / wallMs) * 1000) / 10,
  };
}

function holds(task: Span, span: Span): boolean {
  return task.startMs <= span.startMs && span.startMs < task.startMs + task.durationMs;
}

async function heapMb(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const heapBytes = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
  return Math.round(heapBytes / 1e5) / 10;
}
