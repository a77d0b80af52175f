import type { Page } from '@playwright/test';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { letTimePass, setClockWrong } from './driver/browser-clock.ts';
import { expectsNoLayoutProblems } from './driver/layout-problems.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { ZonesPanel } from './driver/zones-panel.ts';
import { expect, test } from './lookout-test.ts';

test('A browser whose clock is wrong shows the right ages and the service’s time; a hidden tab sends no requests, and catches up at once when it is shown again', async ({
  operator,
  page,
}) => {
  const showsTrueTimes = async (byMs: number) => {
    await operator.seesPositions();
    const browserMs = await page.evaluate(() => Date.now());
    expect(Math.abs(browserMs - byMs - Date.now()), 'error of the shifted clock').toBeLessThan(5000);

    await expect(operator.state('Aircraft')).toHaveText(/^Aircraft: up to date, read \d s ago$/);
    await expect
      .poll(async () => Math.abs((await operator.timeShownMs()) - Date.now()), 'time shown against true time')
      .toBeLessThan(2500);

    await expect.poll(() => operator.miscounted()).toBe(0);

    // The first row may be of a track that has ended.
    const reference = operator.answers.latestObserved(await operator.boxInView());
    await operator.tracks.search.fill(reference);
    await operator.tracks.row(reference).click();
    await expect
      .poll(async () => {
        const observedMs = operator.answers.observedAtMs(reference);
        const leastS = (Date.now() - observedMs) / 1000;
        const shownS = await operator.tracks.secondsOld();
        const mostS = (Date.now() - observedMs) / 1000;
        return shownS < leastS ? leastS - shownS : Math.max(0, shownS - mostS);
      }, 'age shown against true age while it was read, in seconds')
      .toBeLessThan(2.5);
  };

  await test.step('an hour ahead', async () => {
    await setClockWrong(page, HOUR_MS);
    await operator.goesTo('/');
    await showsTrueTimes(HOUR_MS);
  });

  await test.step('an hour behind', async () => {
    await setClockWrong(page, -2 * HOUR_MS);
    await operator.goesTo('/');
    await showsTrueTimes(-HOUR_MS);
  });

  await test.step('hidden, and shown again', async () => {
    await operator.hidesTheTab();
    await operator.waitsUntilOld('Aircraft', 3);
    const before = operator.answers.requestCount;
    // A visible tab would request the new view.
    await page.setViewportSize({ width: 900, height: 600 });
    await operator.waitsUntilOld('Aircraft', (await operator.secondsOld('Aircraft')) + 2);
    // Shorter absences are not mentioned.
    await letTimePass(page, 12_000);
    await operator.waitsUntilOld('Aircraft', 17);
    expect(operator.answers.requestCount, 'requests, none of them while hidden').toBe(before);

    await operator.returnsToTheTab();
    // First, since it disappears after a while.
    await expect(operator.notice('note')).toHaveText(
      /^Paused for \d\d s while this tab was hidden; caught up at \d\d:\d\d:\d\dZ$/,
    );
    await expect.poll(() => operator.answers.requestCount).toBeGreaterThan(before);
    await expect.poll(() => operator.secondsOld('Aircraft')).toBeLessThan(5);
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
  });
});

/** Like a browser's translator: each text becomes another within `<font>`. */
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

test('A browser that blocks storage shows every page, with the operator’s choices, and says that nothing is remembered', async ({
  operator,
  page,
}) => {
  await page.addInitScript(() => {
    const get = () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
      Object.defineProperty(window, name, { get });
  });
  await operator.watches();
  const hint = page.getByRole('complementary', { name: 'Hints for a first visit' });
  await expect(hint).toContainText('Nothing is remembered in this browser');
  await hint.getByRole('button', { name: 'Done' }).click();
  await expect(hint).toHaveCount(0);
  await page.getByRole('tab', { name: 'View' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('Nothing is remembered in this browser');
  await page.getByRole('radio', { name: 'Light' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  const dock = new ReplayDock(page);
  await page.keyboard.press('r');
  await expect(dock.loading).toBeVisible();
  for (const path of ['/overview', '/admin/outputs']) {
    await operator.goesTo(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByText('Nothing is remembered in this browser')).toBeVisible();
  }
  await expect(page.getByTestId('failure')).toHaveCount(0);
});

/** Removes the functions that the oldest supported browsers lack. */
const LACKED = `(() => {
  const lacked = [
    [Map, 'groupBy'], [Object, 'groupBy'], [Promise, 'withResolvers'], [Promise, 'try'], [Array, 'fromAsync'],
    [RegExp, 'escape'], [self.URL, 'canParse'], [self.URL, 'parse'], [self.AbortSignal, 'any'],
    [self.ReadableStream, 'from'], [self.ReadableStream.prototype, Symbol.asyncIterator],
    [self.ReadableStream.prototype, 'values'], [self.Response.prototype, 'bytes'], [self.Blob.prototype, 'bytes'],
    [self, 'requestIdleCallback'], [self, 'cancelIdleCallback'], [self, 'Temporal'], [self, 'scheduler'],
    [Intl, 'Segmenter'], [Intl, 'DurationFormat'], [self, 'Notification'], [self, 'BroadcastChannel'],
    ...['union', 'intersection', 'difference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']
      .map((name) => [Set.prototype, name]),
    ...(self.Iterator ? ['map', 'filter', 'take', 'drop', 'flatMap', 'toArray', 'some', 'every', 'find', 'reduce', 'forEach']
      .map((name) => [Iterator.prototype, name]) : []),
    ...(self.Navigator ? ['userAgentData', 'connection', 'wakeLock', 'locks', 'share', 'canShare']
      .map((name) => [Navigator.prototype, name]) : []),
  ];
  for (const [owner, name] of lacked) if (owner) delete owner[name];
})();`;

/** Also in workers, whose scripts know no init script. */
async function removesFromScripts(page: Page, removal: string): Promise<void> {
  await page.addInitScript(removal);
  await page.route('**/_next/static/chunks/**/*.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${removal}\n${await response.text()}` });
  });
}

test('A browser of the oldest supported versions shows the live picture, a replay and the zones; an older one shows one sentence, and runs no other script', async ({
  operator,
  page,
}) => {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));

  await test.step('the oldest supported one', async () => {
    await removesFromScripts(page, LACKED);
    const dock = new ReplayDock(page);
    await dock.asksFirst();
    await operator.watches('/?view=46.9,8.2,9');
    await expect.poll(() => operator.marksDrawn()).toBeGreaterThan(0);
    await page.keyboard.press('r');
    await dock.loadsLastQuarter();
    await page.keyboard.press('r');
    await page.getByRole('tab', { name: 'Zones' }).click();
    await expect(page.getByRole('button', { name: 'Create zone' })).toBeVisible();
    expect(problems).toEqual([]);
    // Scripts that are still on their way.
    await page.unrouteAll({ behavior: 'wait' });
  });

  await test.step('an older one', async () => {
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.addInitScript('delete self.DecompressionStream;');
    for (const path of ['/', '/overview', '/no-such-page']) {
      await operator.goesTo(path);
      await expect(page.locator('body')).toHaveText(
        /^\s*Lookout needs a newer browser: Chrome or Edge \d+, Firefox \d+, or Safari [\d.]+\.\s*$/,
        { useInnerText: true },
      );
    }
    expect(problems.filter((text) => !text.includes('404'))).toEqual([]);
  });
});

test('At 200% zoom, without a time zone and saving data, nothing is cut, every panel is shown, and hours begin with UTC', async ({
  browser,
  sharedLookout,
}) => {
  const context = await browser.newContext({
    viewport: { width: 640, height: 400 },
    deviceScaleFactor: 2,
    timezoneId: 'Etc/Unknown',
    extraHTTPHeaders: { 'save-data': 'on' },
  });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-data', value: 'reduce' }] });
  const operator = new LookoutDriver(page, sharedLookout.url);
  await operator.watches('/?view=46.9,8.2,8');
  expect(await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)).toBe('Etc/Unknown');
  const zoomed = [[640, 400]] as const;
  await test.step('the page has nothing cut or covered', () => expectsNoLayoutProblems(page, zoomed));
  await test.step('the panel has nothing cut or covered', async () => {
    await page.keyboard.press('v');
    await expectsNoLayoutProblems(page, zoomed);
  });

  await test.step('every panel', async () => {
    for (const name of ['Filter', 'View', 'Zones', 'Tracks']) await page.getByRole('tab', { name }).click();
    await expect(page.getByTestId('failure')).toHaveCount(0);
  });

  await test.step('the hours of zones and of destinations', async () => {
    const zones = new ZonesPanel(operator);
    await zones.startsZone('Night');
    await zones.form.getByRole('button', { name: /^Hours/ }).click();
    await zones.form.getByRole('radio', { name: 'One span' }).click();
    await expect(zones.form.getByLabel('Time zone')).toHaveValue('UTC');
    await expect(zones.form.getByLabel('From')).toHaveValue(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
    await operator.goesTo('/admin/outputs');
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await page.getByRole('menuitem', { name: 'Webhook' }).click();
    await expect(page.getByLabel('Time zone')).toHaveValue('UTC');
  });
  await context.close();
});
