import { expect, type Page, test } from '@playwright/test';

type WindowSize = readonly [width: number, height: number];

/** Phones upright and on their side, 400% and 200% zoom, tablets, laptops, desks, a wall. */
const SIZES: readonly WindowSize[] = [
  [320, 568],
  [390, 844],
  [640, 480],
  [768, 1024],
  [844, 390],
  [900, 700],
  [1024, 768],
  [1280, 800],
  [1440, 900],
  [2560, 1440],
];

export async function expectsNoLayoutProblems(page: Page, sizes: readonly WindowSize[] = SIZES): Promise<void> {
  for (const [width, height] of sizes) {
    await test.step(`${width} × ${height}`, async () => {
      await page.setViewportSize({ width, height });
      await expect.poll(() => layoutProblems(page)).toEqual([]);
    });
  }
}

/** Scrolling into view is no problem. */
async function layoutProblems(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const problems: string[] = [];
    const nameOf = (element: Element) =>
      element.getAttribute('aria-label') || element.textContent?.trim().slice(0, 40) || element.tagName;
    const isScrolledAway = (element: Element, x: number, y: number) => {
      for (let box = element.parentElement; box; box = box.parentElement) {
        const { overflowY, overflowX } = getComputedStyle(box);
        if (!/auto|scroll/.test(overflowY + overflowX)) continue;
        const { left, right, top, bottom } = box.getBoundingClientRect();
        if (x < left || x >= right || y < top || y >= bottom) return true;
        const inner = element.getBoundingClientRect();
        const isPartly = (from: number, to: number, start: number, end: number) => from < start - 0.5 || to > end + 0.5;
        if (box.scrollWidth > box.clientWidth && isPartly(inner.left, inner.right, left, right)) return true;
        if (box.scrollHeight > box.clientHeight && isPartly(inner.top, inner.bottom, top, bottom)) return true;
      }
      return false;
    };
    const { innerWidth: width, innerHeight: height } = window;
    for (const control of document.querySelectorAll('button, a[href], input, [role="switch"], [role="slider"]')) {
      // Closed help and menus have none.
      const { left, right, top, bottom } = control.getBoundingClientRect();
      if (right - left <= 1 || bottom - top <= 1 || !control.checkVisibility()) continue;
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      if (isScrolledAway(control, x, y)) continue;
      if (left < -0.5 || right > width + 0.5 || top < -0.5 || bottom > height + 0.5) {
        problems.push(`cut by the window: ${nameOf(control)}`);
        continue;
      }
      if (control.getAttribute('role') === 'slider') continue;
      const hit = document.elementFromPoint(x, y);
      if (!hit || !(control.contains(hit) || hit.contains(control))) {
        problems.push(`${nameOf(control)} lies under ${hit ? nameOf(hit) : 'nothing'}`);
      }
    }
    const map = document.querySelector('[data-testid="map"]')?.getBoundingClientRect();
    if (!map || map.width < 100 || map.height < 80) problems.push(`the map is ${map?.width} × ${map?.height}`);
    const outside =
      'header, [data-testid="legend"], [data-testid="replay-dock"], [data-testid="replay-plate"], [data-testid="sheet"], aside';
    for (const part of document.querySelectorAll(`${outside}, [data-testid^="notice-"]`)) {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      if (!map || right - left === 0 || part.checkVisibility() === false) continue;
      // A notice outside the strip is one click away.
      const strip = part.closest('.strip[data-open="false"] .strip-items')?.getBoundingClientRect();
      if (strip && top > strip.bottom - 1) continue;
      if (isScrolledAway(part, (left + right) / 2, (top + bottom) / 2)) continue;
      const isOver = left < map.right - 1 && right > map.left + 1 && top < map.bottom - 1 && bottom > map.top + 1;
      if (isOver) problems.push(`${nameOf(part)} lies over the map`);
    }
    const more = document.querySelector<HTMLElement>('.strip[data-open="false"] .strip-more');
    if (more) {
      const [strip, items] = [more.closest<HTMLElement>('.strip'), document.querySelector('.strip-items')];
      if (strip) strip.dataset.measuring = '';
      if (items && items.scrollHeight <= items.clientHeight) problems.push(`${nameOf(more)}, where everything fits`);
      delete strip?.dataset.measuring;
    }
    const { scrollWidth, scrollHeight } = document.documentElement;
    if (scrollWidth > width || scrollHeight > height) problems.push(`the page is ${scrollWidth} × ${scrollHeight}`);
    for (const text of document.querySelectorAll(
      '[data-testid^="chip-"], [data-testid="emergency-count"], [data-testid="clock"], [data-testid="replay-plate"]',
    )) {
      if (text.scrollWidth > text.clientWidth + 1) problems.push(`text is cut: ${nameOf(text)}`);
    }
    return problems;
  });
}

/** A long name may be cut inside its chip; nothing else may. From 390 px on nothing is scrolled away. */
export async function barProblems(page: Page, { hasNavigation = false } = {}): Promise<readonly string[]> {
  return page.evaluate((hasNavigation) => {
    const bar = document.querySelector('header');
    if (!bar) return ['there is no bar'];
    const problems: string[] = [];
    const nameOf = (element: Element) => element.textContent?.trim().slice(0, 60) || element.tagName;
    const isInside = (inner: DOMRect, outer: DOMRect) =>
      inner.left >= outer.left - 0.5 &&
      inner.right <= outer.right + 0.5 &&
      inner.top >= outer.top - 0.5 &&
      inner.bottom <= outer.bottom + 0.5;
    if (window.innerWidth >= 390 && bar.scrollWidth > bar.clientWidth)
      problems.push(`the bar is ${bar.scrollWidth} px wide, its window ${bar.clientWidth}`);
    const { top, bottom } = bar.getBoundingClientRect();
    for (const element of bar.querySelectorAll<HTMLElement>('*')) {
      const box = element.getBoundingClientRect();
      // Hidden, or for screen readers only.
      if (box.width <= 1 || box.height <= 1 || element.closest('.sr-only')) continue;
      if (box.top < top - 0.5 || box.bottom > bottom + 0.5) problems.push(`${nameOf(element)} leaves the bar`);
      const control = element.parentElement?.closest('button, a');
      if (control && !isInside(box, control.getBoundingClientRect()))
        problems.push(`${nameOf(element)} leaves ${nameOf(control)}`);
      const isShortened = 'shortened' in element.dataset;
      if (isShortened) {
        if (box.width < 8) problems.push(`nothing is left of ${nameOf(element)}`);
      } else if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible')
        if (element !== bar) problems.push(`cut: ${nameOf(element)}`);
    }
    const alarms = bar.querySelector('[data-testid="chip-alarms"]')?.getBoundingClientRect();
    if (!alarms || alarms.left < 0 || alarms.right > window.innerWidth) problems.push('alarms are not in view');
    for (const other of bar.querySelectorAll(hasNavigation ? 'button:not([aria-label="Pages"])' : 'button'))
      if (alarms && other.checkVisibility() && other.getBoundingClientRect().left < alarms.left)
        problems.push(`${nameOf(other)} comes before alarms`);
    return problems;
  }, hasNavigation);
}

/** The bar of a replay takes at most a third of the height; its buttons have two lines at most, and its sentence is whole. */
export async function dockProblems(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const dock = document.querySelector('[data-testid="replay-dock"]');
    if (!dock) return ['there is no replay bar'];
    const problems: string[] = [];
    const { height } = dock.getBoundingClientRect();
    if (height > window.innerHeight / 3) problems.push(`it is ${height} px high`);
    for (const button of dock.querySelectorAll('button')) {
      const lines = new Set<number>();
      const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      while (texts.nextNode()) {
        range.selectNodeContents(texts.currentNode);
        for (const { width, bottom } of range.getClientRects()) if (width > 1) lines.add(Math.round(bottom / 4));
      }
      if (lines.size > 2) problems.push(`${lines.size} lines: ${button.textContent}`);
      if (button.scrollWidth > button.clientWidth + 1) problems.push(`cut: ${button.textContent}`);
    }
    const sentence = dock.querySelector('[data-testid="replay-loading"] > span:last-child');
    if (sentence?.checkVisibility() && sentence.scrollHeight > sentence.clientHeight + 1)
      problems.push(`cut: ${sentence.textContent}`);
    return problems;
  });
}
