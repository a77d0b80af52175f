import type { Page } from '@playwright/test';

function shiftClock(offsetMs: number): void {
  const TrueDate = Date;
  const now = () => TrueDate.now() + offsetMs;
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

/** Call it before opening the page. */
export async function setClockWrong(page: Page, byMs: number): Promise<void> {
  await page.addInitScript(shiftClock, byMs);
}

export async function letTimePass(page: Page, ms: number): Promise<void> {
  await page.evaluate(shiftClock, ms);
}
