import type { Browser, Page } from '@playwright/test';

/** Milliseconds on the trace's clock. */
export interface Span {
  readonly startMs: number;
  readonly durationMs: number;
}

/** What a page's main thread did, from the browser's own trace. */
export interface MainThread {
  /** Everything that ran without giving way, in order: scripts, layout, garbage collection that it waited for. */
  readonly tasks: readonly Span[];
  /** User timings of this name, in order. */
  timings(name: string): readonly Span[];
}

interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly id?: string;
  readonly id2?: { readonly local?: string };
}

const USER_TIMING = 'blink.user_timing';
const TASKS = 'disabled-by-default-devtools.timeline';

/** @param marker a user timing that the page's main thread leaves: by it the thread is known */
export async function traceMainThread(
  browser: Browser,
  page: Page,
  marker: string,
  during: () => Promise<void>,
): Promise<MainThread> {
  await browser.startTracing(page, { categories: [USER_TIMING, TASKS] });
  await during();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const main = trace.traceEvents.find(({ name, cat }) => name === marker && cat === USER_TIMING);
  if (!main) throw new Error(`the page left no user timing ${marker}`);
  const own = trace.traceEvents
    .filter(({ pid, tid }) => pid === main.pid && tid === main.tid)
    .sort((a, b) => a.ts - b.ts);
  return {
    tasks: own
      .filter(({ name, ph }) => name === 'RunTask' && ph === 'X')
      .map(({ ts, dur = 0 }) => ({ startMs: ts / 1000, durationMs: dur / 1000 })),
    timings: (name) => spansOf(own.filter((event) => event.cat === USER_TIMING && event.name === name)),
  };
}

/** Begin and end of a timing are two events of one id. */
function spansOf(events: readonly TraceEvent[]): readonly Span[] {
  const ends = new Map(events.filter(({ ph }) => ph === 'e').map((event) => [idOf(event), event.ts]));
  return events.flatMap((event) => {
    const endUs = event.ph === 'b' ? ends.get(idOf(event)) : undefined;
    return endUs === undefined ? [] : [{ startMs: event.ts / 1000, durationMs: (endUs - event.ts) / 1000 }];
  });
}

function idOf({ id, id2 }: TraceEvent): string {
  return id ?? id2?.local ?? '';
}
