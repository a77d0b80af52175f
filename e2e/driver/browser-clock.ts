import type { Page } from '@playwright/test';

/** In the page: its clock shows `offsetMs` more than the one before, and runs. */
function shiftClock(offsetMs: number): void {
  const TrueDate = Date;
  const now = () => TrueDate.now() + offsetMs;
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

/** Sets this browser's clock wrong, before the page is opened, as a machine without network time has it. */
export async function setClockWrong(page: Page, byMs: number): Promise<void> {
  await page.addInitScript(shiftClock, byMs);
}

/** Lets so much time pass at once, as a page finds it after its machine has slept. */
export async function letTimePass(page: Page, ms: number): Promise<void> {
  await page.evaluate(shiftClock, ms);
}
