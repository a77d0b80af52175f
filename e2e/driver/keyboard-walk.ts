import type { Locator, Page } from '@playwright/test';

/** More stops than this on the way to a control is not a way. */
const MAX_STOPS = 80;

/** Presses a key until the focus is where it is wanted; every stop on the way has to be seen. */
export async function movesTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  let { isThere } = await target.first().evaluate(lookAtFocus);
  for (let stop = 0; !isThere; stop++) {
    if (stop === MAX_STOPS) throw new Error(`${target} is not reached by ${key}`);
    await page.keyboard.press(key);
    const focus = await target.first().evaluate(lookAtFocus);
    if (focus.unseen !== undefined) throw new Error(`on the way to ${target}, the focus is not seen: ${focus.unseen}`);
    ({ isThere } = focus);
  }
}

/** `unseen`: the focused control, if it is outside the window or has no outline. */
function lookAtFocus(target: Element): { readonly isThere: boolean; readonly unseen?: string } {
  const focused = document.activeElement;
  const isThere = target === focused;
  if (!focused || focused === document.body) return { isThere };
  const { left, right, top, bottom } = focused.getBoundingClientRect();
  const isInside = right > 0 && bottom > 0 && left < window.innerWidth && top < window.innerHeight;
  const styles = [focused, ...focused.querySelectorAll('*')].map((element) => getComputedStyle(element));
  const isOutlined = styles.some(({ outlineStyle, boxShadow }) => outlineStyle !== 'none' || boxShadow !== 'none');
  return isInside && isOutlined ? { isThere } : { isThere, unseen: focused.outerHTML.slice(0, 160) };
}

/** The next Tab goes to the first control of the page. */
export async function startsAtTop(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
}

/** More stops than this on a page are not a walk. */
const MAX_PAGE_STOPS = 400;

/** Tab reaches every control of the page once, each seen, and then leaves the page. */
export async function reachesEverything(page: Page): Promise<void> {
  await startsAtTop(page);
  const body = page.locator('body');
  for (let stop = 0; stop < MAX_PAGE_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const { unseen } = await body.evaluate(lookAtFocus);
    if (unseen !== undefined) throw new Error(`the focus is not seen: ${unseen}`);
    const isOver = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!focused || focused === document.body || focused.hasAttribute('data-walked')) return true;
      focused.setAttribute('data-walked', '');
      return false;
    });
    if (isOver) break;
  }
  const missed = await page.evaluate(() => {
    const controls = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')];
    const isOneOfRadios = (element: HTMLElement) => element instanceof HTMLInputElement && element.type === 'radio';
    const names = controls
      .filter((control) => control.tabIndex >= 0 && control.checkVisibility() && !control.matches(':disabled'))
      .filter((control) => !isOneOfRadios(control) && !control.hasAttribute('data-walked'))
      .map(({ outerHTML }) => outerHTML.slice(0, 120));
    for (const walked of document.querySelectorAll('[data-walked]')) walked.removeAttribute('data-walked');
    return names;
  });
  if (missed.length > 0) throw new Error(`Tab does not reach ${missed.join(', ')}`);
}
