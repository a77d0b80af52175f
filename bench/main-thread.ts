import type { Page } from '@playwright/test';
import { type Spread, spread } from './spread.ts';

export interface MainThread {
  /** Share of the time in which the main thread had a processor. */
  readonly busy_percent: number;
  readonly longest_task_ms: number;
  /** Of the longest task of each second: a page whose answers come once a second takes a picture in each. */
  readonly longest_task_of_a_second_ms: Spread;
  /** As the page's user sees it: with what other work on the machine took in between. */
  readonly longest_task_seen_ms: number;
}

interface TraceEvent {
  readonly name: string;
  /** µs. */
  readonly ts: number;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** µs, as seen. */
  readonly dur?: number;
  /** µs on a processor. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The tasks of the page's main thread for a while, by a trace: in processor time, so that other work on the machine does not count. */
export async function mainThread(page: Page, forMs: number): Promise<MainThread> {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  const started = performance.now();
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await page.waitForTimeout(forMs);
  const tookMs = performance.now() - started;
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) =>
      ph === 'X' && /^(ThreadControllerImpl::)?RunTask$/.test(name) && threads.has(`${pid} ${tid}`),
  );
  // One page, one renderer; another of the browser's own is idle.
  const names = new Set(tasks.map(({ name }) => name));
  const name = names.has('RunTask') ? 'RunTask' : 'ThreadControllerImpl::RunTask';
  const own = tasks.filter((task) => task.name === name);
  if (own.length === 0) throw new Error('the trace has no tasks of the main thread');
  const cpuMs = own.map(({ tdur = 0 }) => tdur / 1000);
  return {
    busy_percent: Math.round((cpuMs.reduce((sum, ms) => sum + ms, 0) / tookMs) * 1000) / 10,
    longest_task_ms: Math.round(cpuMs.reduce((max, ms) => Math.max(max, ms), 0)),
    longest_task_of_a_second_ms: spread([...longestBySecond(own).values()]),
    longest_task_seen_ms: Math.round(own.reduce((max, { dur = 0 }) => Math.max(max, dur / 1000), 0)),
  };
}

function longestBySecond(tasks: readonly TraceEvent[]): Map<number, number> {
  const longest = new Map<number, number>();
  for (const { ts, tdur = 0 } of tasks) {
    const second = Math.floor(ts / 1e6);
    longest.set(second, Math.max(longest.get(second) ?? 0, tdur / 1000));
  }
  return longest;
}
