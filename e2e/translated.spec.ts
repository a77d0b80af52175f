import type { Page } from '@playwright/test';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

/** Does what a browser's translator does to texts, now and whenever they change: each becomes another text, within `<font>`. */
async function translates(page: Page): Promise<void> {
  await page.evaluate(() => {
    const translate = (root: Node) => {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const found: Text[] = [];
      while (texts.nextNode()) found.push(texts.currentNode as Text);
      for (const text of found) {
        const parent = text.parentElement;
        if (!parent || text.data.trim() === '' || parent.closest('font, script, style, svg, [translate="no"]'))
          continue;
        const font = document.createElement('font');
        font.append(text.data);
        text.replaceWith(font);
      }
    };
    translate(document.body);
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) for (const node of [target, ...addedNodes]) translate(node);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
}

test('A translated page goes on: its clock, its counts and every panel', async ({ operator, page }) => {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  const { tracks } = operator;
  const dock = new ReplayDock(page);
  await dock.asksFirst();
  await operator.watches('/?view=46.9,8.2,9');
  await expect(tracks.rows.first()).toBeVisible();
  await translates(page);
  await expect(page.locator('font').first()).toBeAttached();

  const clockGoesOn = async () => {
    const before = await operator.clock.textContent();
    await expect.poll(() => operator.clock.textContent()).not.toBe(before);
  };
  await test.step('the clock goes on', clockGoesOn);

  await test.step('a track is selected, watched and closed', async () => {
    await tracks.selectsFirst();
    await clockGoesOn();
    for (const key of ['f', 'i', 'u', 'z', 'z', 'm', 'Escape', 'Escape']) await page.keyboard.press(key);
    await tracks.isClosed();
  });

  await test.step('every panel opens', async () => {
    for (const name of ['Filter', 'View', 'Allowance', 'Tracks']) await page.getByRole('tab', { name }).click();
    await operator.switchesLayer('Drones');
    await operator.switchesLayer('Drones');
    await page.keyboard.press('?');
    await expect(operator.help).toBeVisible();
    await page.keyboard.press('Escape');
  });

  await test.step('a replay is opened, played and left', async () => {
    await page.keyboard.press('r');
    await dock.loadsLastQuarter();
    const before = await dock.shownAtMs();
    await page.keyboard.press(' ');
    await expect.poll(() => dock.shownAtMs()).toBeGreaterThan(before);
    await page.keyboard.press('r');
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
  });

  await expect(page.getByTestId('failure')).toHaveCount(0);
  expect(problems).toEqual([]);
});
