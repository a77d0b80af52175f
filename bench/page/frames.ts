import { expect, type Page } from '@playwright/test';
import { countFrames } from '../../e2e/driver/frames-drawn.ts';
import { rounded, spread } from '../figures.ts';
import { feedLive } from './fed-live.ts';
import { GRID_VIEW, gridSource } from './moving-grid.ts';
import { openPage, type RunningApp, startInBrowser } from './running-page.ts';

const GOAL = { ratio_5000: 0.8, ratio_20000: 0.6 };
const MARKS = [0, 5000, 20_000] as const;
const ROUNDS = Number(process.env.FRAMES_ROUNDS ?? 7);
const POLL_MS = 5000;
const WARM_UP_FRAMES = 5;
const PAN_FRAMES = 40;

export async function bench(): Promise<object> {
  const running = await startInBrowser(gridSource(0));
  try {
    const pages: PannedPage[] = [];
    for (const count of MARKS) pages.push(await openMarks(running, count));
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const perSecond: number[] = [];
      // In turns, so that other work slows all.
      for (const panned of pages) {
        panned.answering.resolve();
        await pan(panned.page, WARM_UP_FRAMES);
        perSecond.push(await pan(panned.page, PAN_FRAMES));
        panned.answering = Promise.withResolvers();
      }
      rounds.push(perSecond);
    }
    const ratio = (index: number) => spread(rounds.map((each) => (each[index] ?? 0) / (each[0] ?? 0))).median;
    const ratios = { ratio_5000: ratio(1), ratio_20000: ratio(2) };
    return {
      what: 'the real page, 1280×800, software WebGL, all marks moving at every answer, medians of rounds; frames count once they are drawn',
      goal: GOAL,
      reached: ratios.ratio_5000 >= GOAL.ratio_5000 && ratios.ratio_20000 >= GOAL.ratio_20000,
      ...ratios,
      marks: MARKS,
      frames_a_second: rounds.map((perSecond) => perSecond.map((each) => rounded(each))),
    };
  } finally {
    await running.close();
  }
}

type PannedPage = Awaited<ReturnType<typeof openMarks>>;

async function openMarks({ browser, url }: RunningApp, aircraft: number) {
  const page = await openPage(browser, { panelOpen: false, legendOpen: false });
  await countFrames(page);
  const panned = { page, answering: Promise.withResolvers<void>() };
  panned.answering.resolve();
  await feedLive(page, { aircraft, nextPollMs: POLL_MS, isAnswered: () => panned.answering.promise });
  await page.goto(`${url}/?view=${GRID_VIEW}`);
  const drawn = async () => Number(await page.getByTestId('map').getAttribute('data-drawn'));
  await expect.poll(drawn, { timeout: 120_000 }).toBeGreaterThanOrEqual(aircraft);
  await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(() => undefined);
  await page.waitForTimeout(3000);
  panned.answering = Promise.withResolvers();
  return panned;
}

/** @returns frames a second */
async function pan(page: Page, frameCount: number): Promise<number> {
  return page.evaluate(async (wanted) => {
    const canvas = document.querySelector<HTMLCanvasElement>('.maplibregl-canvas');
    const gl = canvas?.getContext('webgl2');
    if (!canvas || !gl) throw new Error('the map has no canvas');
    const move = (type: string, angle: number, buttons: number) => {
      const [clientX, clientY] = [600 + 120 * Math.cos(angle), 400 + 120 * Math.sin(angle)];
      canvas.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, buttons, clientX, clientY }));
    };
    // Without a graphics card up to 18 frames are queued. Reading a pixel waits for them.
    const drainedMs = () => {
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      return performance.now();
    };
    const counted = (window as unknown as { lookoutFrames: { frames: number } }).lookoutFrames;
    const startedMs = drainedMs();
    const before = counted.frames;
    move('mousedown', 0, 1);
    for (let step = 1; counted.frames < before + wanted; step++) {
      move('mousemove', step * 0.05, 1);
      await new Promise(requestAnimationFrame);
    }
    const perSecond = (1000 * (counted.frames - before)) / (drainedMs() - startedMs);
    move('mouseup', 0, 0);
    return perSecond;
  }, frameCount);
}
