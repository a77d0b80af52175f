import { chromium, type Page } from '@playwright/test';
import { BROWSER_FLAGS, findChromium } from '../scripts/setup/find-chromium.ts';
import { serveModules } from './module-server.ts';
import type { ObservedHour } from './observed-hour.ts';
import type { ScrubInPage } from './scrub-in-page.ts';
import { type Spread, spread } from './spread.ts';

const GOAL = { seek_median_ms: 4, seek_worst_ms: 16, steps_a_second: 60, heap_mb: 120 };
const HOUR: ObservedHour = { tracks: 3000, observations: 1_000_000, partSize: 4000 };
const MANY_TRACKS: ObservedHour = { ...HOUR, tracks: 20_000 };
const JUMPS = 1000;
/** Initial seeks, in which code is still being compiled. */
const WARM_UP = 50;
const PLAY_SPEED = 120;
const PLAY_STEPS = 300;
/**
 * The same steps are repeated in rounds. The fastest round shows the cost of a step; slower ones include whatever else
 * ran on the machine. Both are reported.
 */
const ROUNDS = 3;
/** One and a half frames at 60 Hz: a longer interval means that a frame was missed. */
const FRAME_MISSED_MS = 25;

interface Cost {
  /** Each step at its fastest over all rounds. */
  readonly own: Spread;
  /** All steps of all rounds. */
  readonly seen: Spread;
}

interface Run {
  readonly tracks: number;
  readonly observations: number;
  readonly drawn: number;
  /** Move the cursor to a random time and draw the picture. */
  readonly jump_ms: Cost;
  /** The same, for each frame while playing. */
  readonly play_step_ms: Cost;
  /** Of the best round, like `frames_missed`. */
  readonly steps_a_second: number;
  readonly frames_missed: number;
  /** Add a part of 4000 observations; parts are not ordered by time. */
  readonly add_part_ms: Cost;
  /** Collect the trails of all tracks over five minutes. */
  readonly all_trails_ms: Cost;
  /** JavaScript objects and typed arrays after a garbage collection; `empty` is the page before anything was added. */
  readonly heap_mb: { readonly empty: number; readonly filled: number };
}

/** A million observations in the browser: the cost of a seek, a step of playing and a new part, and the memory used. */
export async function scrub(): Promise<object> {
  const run = await measure(HOUR);
  const manyTracks = await measure(MANY_TRACKS);
  return {
    what: 'replay store, cursor and picture in an empty page of Chromium, from the tree’s own modules',
    goal: GOAL,
    reached:
      run.jump_ms.seen.median <= GOAL.seek_median_ms &&
      Math.max(run.jump_ms.own.max, run.play_step_ms.own.max) <= GOAL.seek_worst_ms &&
      // A 60 Hz display may run at 59.9 Hz.
      Math.round(run.steps_a_second) >= GOAL.steps_a_second &&
      run.heap_mb.filled <= GOAL.heap_mb,
    runs: [run, manyTracks],
  };
}

async function measure(hour: ObservedHour): Promise<Run> {
  const modules = await serveModules();
  const executablePath = await findChromium((text) => process.stderr.write(`${text}\n`));
  const browser = await chromium.launch({
    args: BROWSER_FLAGS,
    ...(executablePath === undefined ? {} : { executablePath }),
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(modules.url);
    await page.addScriptTag({
      type: 'module',
      content: "import { ScrubInPage } from '/bench/scrub-in-page.ts'; window.newScrub = () => new ScrubInPage();",
    });
    await page.waitForFunction(() => 'newScrub' in window);
    const empty = await heapMb(page);
    const parts = await inRounds(async () => {
      await page.evaluate(() => {
        const scope = window as unknown as { scrub: ScrubInPage; newScrub: () => ScrubInPage };
        scope.scrub = scope.newScrub();
      });
      return inPage(page, (scrub, observed) => scrub.fill(observed), hour);
    });
    const filled = await heapMb(page);
    const drawn = await inPage(page, (scrub) => scrub.drawn(), undefined);
    await inPage(page, (scrub, count) => scrub.jumps(count), WARM_UP);
    const jumps = await inRounds(() => inPage(page, (scrub, count) => scrub.jumps(count), JUMPS));
    const framesOfRounds: number[][] = [];
    const steps = await inRounds(async () => {
      const played = await inPage(page, (scrub, { speed, count }) => scrub.play(speed, count), {
        speed: PLAY_SPEED,
        count: PLAY_STEPS,
      });
      framesOfRounds.push(played.frames);
      return played.steps;
    });
    const frames = framesOfRounds.reduce((best, round) => (sum(round) < sum(best) ? round : best));
    return {
      tracks: hour.tracks,
      observations: hour.observations,
      drawn,
      jump_ms: jumps,
      play_step_ms: steps,
      steps_a_second: Math.round((frames.length / sum(frames)) * 1e4) / 10,
      frames_missed: frames.filter((frameMs) => frameMs > FRAME_MISSED_MS).length,
      add_part_ms: parts,
      all_trails_ms: await inRounds(() => inPage(page, (scrub) => scrub.trails(100).times, undefined)),
      heap_mb: { empty, filled },
    };
  } finally {
    await browser.close();
    await modules.close();
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** @param round repeats the same steps each time and returns milliseconds for each */
async function inRounds(round: () => Promise<number[]>): Promise<Cost> {
  const rounds: number[][] = [];
  for (let index = 0; index < ROUNDS; index++) rounds.push(await round());
  const own = (rounds[0] as number[]).map((_, step) => Math.min(...rounds.map((times) => times[step] as number)));
  return { own: spread(own), seen: spread(rounds.flat()) };
}

type Work<Argument, Result> = (scrub: ScrubInPage, argument: Argument) => Result | Promise<Result>;

async function inPage<Argument, Result>(
  page: Page,
  work: Work<Argument, Result>,
  argument: Argument,
): Promise<Awaited<Result>> {
  const scrub = await page.evaluateHandle(() => (window as unknown as { scrub: ScrubInPage }).scrub);
  const result = (await scrub.evaluate(work as never, argument)) as Awaited<Result>;
  // An open handle would keep its object in memory, which a later measurement would count.
  await scrub.dispose();
  return result;
}

async function heapMb(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = await devtools.send('Runtime.getHeapUsage');
  await devtools.detach();
  return Math.round((usedSize + backingStorageSize) / 1e5) / 10;
}
