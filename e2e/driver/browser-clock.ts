import type { Page } from '@playwright/test';

/** Runs in the page: shifts its clock by `offsetMs`, on top of earlier shifts. */
function shiftClock(offsetMs: number): void {
  const TrueDate = Date;
  const now = () => TrueDate.now() + offsetMs;
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

/** Makes the browser's clock wrong by `byMs`, as on a machine without network time. Call it before opening the page. */
export async function setClockWrong(page: Page, byMs: number): Promise<void> {
  await page.addInitScript(shiftClock, byMs);
}

/** Makes time jump ahead, as after the machine has slept. */
export async function letTimePass(page: Page, ms: number): Promise<void> {
  await page.evaluate(shiftClock, ms);
}
