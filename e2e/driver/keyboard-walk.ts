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
