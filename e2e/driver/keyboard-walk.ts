import { expect, type Locator, type Page } from '@playwright/test';

/** More stops than this on the way to a control is not a way. */
const MAX_STOPS = 80;

/** Presses a key until the focus is where it is wanted; every stop on the way has to be seen. */
export async function movesTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  const isThere = () => target.first().evaluate((element) => element === document.activeElement);
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if (await isThere()) return;
    await page.keyboard.press(key);
    expect(await focusIsSeen(page)).toBe('seen');
  }
  throw new Error(`${target} is not reached by ${key}`);
}

/** Whether the focused control is within the window and has an outline; otherwise which one it is. */
function focusIsSeen(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return 'seen';
    const { left, right, top, bottom } = focused.getBoundingClientRect();
    const isInside = right > 0 && bottom > 0 && left < window.innerWidth && top < window.innerHeight;
    const styles = [focused, ...focused.querySelectorAll('*')].map((element) => getComputedStyle(element));
    const isOutlined = styles.some(({ outlineStyle, boxShadow }) => outlineStyle !== 'none' || boxShadow !== 'none');
    return isInside && isOutlined ? 'seen' : `not seen: ${focused.outerHTML.slice(0, 160)}`;
  });
}
