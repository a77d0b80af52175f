import { LookoutDriver } from './driver/lookout-driver.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

const MINUTE_MS = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
/** As the address writes whole seconds. */
const written = (ms: number) => iso(ms).replace('.000Z', 'Z');

/** A window of whole minutes that ended a while ago. */
function pastWindow(minutes: number, endedMinutesAgo = 2) {
  const end = Math.floor(Date.now() / MINUTE_MS - endedMinutesAgo) * MINUTE_MS;
  return { start: end - minutes * MINUTE_MS, end };
}

function linkTo({ start, end }: { start: number; end: number }, more = ''): string {
  return `/?view=46.9,8.2,8&layers=adsb&from=${written(start)}&to=${written(end)}${more}`;
}

test.describe('Entering and leaving', () => {
  test('R shows the last hour of the same view, with what it costs told before anything is asked; R again is live', async ({
    startDesk,
    page,
  }) => {
    const { operator, lookout } = await startDesk();
    const dock = new ReplayDock(page);
    await operator.watches('/?view=46.9,8.2,8&layers=adsb');
    const reference = await operator.tracks.selectsFirst();
    const view = operator.viewInAddress();
    await page.keyboard.press('r');
    await expect(dock.plate).toHaveText(/^REPLAY \d\d:\d\d:00Z · /);
    await expect(page).toHaveTitle(/^Replay/);
    await expect(dock.button(/^Load: (about|at least) \d+ requests?, at most \d+$/)).toBeVisible();
    await expect(operator.state('Aircraft')).toHaveText('Aircraft: not loaded at this time');
    const asked = (await lookout.service.requests()).filter(({ operation }) => operation.startsWith('history'));
    expect(asked).toEqual([]);
    expect(operator.viewInAddress()).toEqual(view);
    const inAddress = (name: string) => new URL(page.url()).searchParams.get(name) ?? '';
    await expect.poll(() => Date.parse(inAddress('to')) - Date.parse(inAddress('from'))).toBe(60 * MINUTE_MS);
    expect(inAddress('sel')).toBe(reference);

    await page.keyboard.press('r');
    await expect(dock.dock).toHaveCount(0);
    await expect(dock.plate).toHaveCount(0);
    await expect(page).toHaveTitle('Lookout');
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);
    expect(operator.viewInAddress()).toEqual(view);
    expect(await operator.tracks.selectedReference()).toBe(reference);
    await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(false);
  });

  test('the live picture is not asked for while the past is shown', async ({ startDesk, page }) => {
    const { operator, lookout } = await startDesk();
    const dock = new ReplayDock(page);
    await operator.goesTo(linkTo(pastWindow(5)));
    await dock.loads();
    await dock.isLoaded();
    expect(await lookout.service.requestsFor('live_adsb')).toEqual([]);
  });
});

test.describe('A link', () => {
  test('opens the same window, moment, speed, layers and track after signing in; what was loaded before costs nothing', async ({
    startDesk,
    page,
    browser,
  }) => {
    const { lookout } = await startDesk({ operators: ['tower@airfield', 'desk@airfield'] });
    const [sender, receiver] = lookout.operators as [(typeof lookout.operators)[0], (typeof lookout.operators)[0]];
    const window = pastWindow(10);
    const moment = window.start + 4 * MINUTE_MS;
    const signIn = new SignInDriver(page, lookout.url);
    await signIn.opens(linkTo(window));
    await signIn.submits(sender);
    const operator = signIn.asOperator();
    const dock = new ReplayDock(page);
    await dock.loads();
    await dock.isLoaded();
    await page.mouse.click((await dock.pointAt(0.4)).x, (await dock.pointAt(0.4)).y);
    await expect.poll(() => dock.momentMs()).toBeGreaterThan(moment - 5000);
    await page.keyboard.press(']');
    const reference = await operator.tracks.selectsFirst();
    await expect.poll(() => new URL(page.url()).searchParams.get('sel')).toBe(reference);
    await expect.poll(() => new URL(page.url()).searchParams.get('speed')).toBe('2');
    const link = new URL(page.url());
    const spent = (await lookout.service.requests()).length;

    const elsewhere = await browser.newPage();
    const otherSignIn = new SignInDriver(elsewhere, lookout.url);
    await otherSignIn.opens(`${link.pathname}${link.search}`);
    await otherSignIn.submits(receiver);
    const other = new ReplayDock(elsewhere);
    // Nothing is to be spent, so nothing has to be agreed to.
    await other.isLoaded();
    await expect(other.loading).toHaveText('Complete · 0 requests made');
    expect((await lookout.service.requests()).length).toBe(spent);
    expect(await other.momentMs()).toBe(await dock.momentMs());
    expect(await other.observations('Aircraft')).toBe(await dock.observations('Aircraft'));
    const opened = new LookoutDriver(elsewhere, lookout.url);
    expect(await opened.tracks.selectedReference()).toBe(reference);
    await expect(other.button('Speed: 2×. Change')).toBeVisible();
    await expect(opened.state('Drones')).toHaveText('Drones: layer is off, not loaded');
    await elsewhere.close();
  });

  test('to a time that no history reaches says so, asks nothing, and offers the place live', async ({
    startDesk,
    page,
  }) => {
    const { operator, lookout } = await startDesk();
    const dock = new ReplayDock(page);
    const start = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 40 * 86_400_000;
    await operator.goesTo(linkTo({ start, end: start + 10 * MINUTE_MS }));
    await expect(dock.loading).toHaveText('This lies more than 30 days back, further than any history reaches.');
    expect(await lookout.service.requests()).toEqual([]);
    await dock.button('Show this place live').click();
    await operator.seesPositions();
    expect(operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 8 });
  });
});

test.describe('What is missing', () => {
  test('a moment denser than the service gives is incomplete in its minute and place, and nowhere else', async ({
    startDesk,
    page,
  }, testInfo) => {
    const file = makeRecording(
      testInfo.outputPath('recordings'),
      'adsb',
      [
        { id: 'a', lon: 8.5, lat: 47.2, alt_m: 3000 },
        { id: 'b', lon: 7.5, lat: 46.5, alt_m: 4000 },
      ],
      { afterMs: 4 * MINUTE_MS, tracks: 1200, lon: 8.201, lat: 46.901 },
    );
    const { operator } = await startDesk({ service: playing(file) });
    const dock = new ReplayDock(page);
    // The recording is played so that its densest minute is now, and 11 minutes ago.
    const window = pastWindow(10, 6);
    await operator.goesTo(linkTo(window));
    await dock.loads();
    await dock.isLoaded();
    const band = await dock.band('Aircraft');
    const cut = band.filter(({ state }) => state === 'truncated');
    const whole = band.filter(({ state }) => state === 'complete');
    expect(cut).toHaveLength(1);
    expect(whole.length + cut.length).toBe(band.length);
    const [minute] = cut as [(typeof cut)[0]];
    expect(Date.parse(minute.end) - Date.parse(minute.start)).toBe(MINUTE_MS);
    await expect(dock.loading).toHaveText(
      /^Aircraft: 1 min incomplete \(more was received in one second and place than the service gives\) · \d+ requests made$/,
    );
    const partOf = (ms: number) => (ms - window.start) / (window.end - window.start);
    const inside = await dock.pointAt(partOf(Date.parse(minute.start) + 30_000));
    await page.mouse.click(inside.x, inside.y);
    await expect(operator.state('Aircraft')).toHaveText(
      'Aircraft: incomplete at this time: more was received in one second and place than the service gives',
    );
    // Far enough from the dense minute that nothing of it is in the picture any more, and not at the window's beginning.
    const calm = Date.parse(minute.start) - window.start > 5 * MINUTE_MS ? 3 : 9;
    const outside = await dock.pointAt(calm / 10);
    await page.mouse.click(outside.x, outside.y);
    await expect(operator.state('Aircraft')).toHaveText('Aircraft: all that was received here is loaded');
  });

  test('what could not be loaded is shown as failed, why, and can be tried again', async ({ startDesk, page }) => {
    const { operator, lookout } = await startDesk();
    const dock = new ReplayDock(page);
    await lookout.service.breakWith({ kind: 'cut_json', operation: 'history_adsb' });
    const window = pastWindow(5);
    await operator.goesTo(linkTo(window));
    await dock.loads();
    await dock.isLoaded();
    const whole = { start: iso(window.start), end: iso(window.end) };
    expect(await dock.band('Aircraft')).toEqual([{ state: 'failed', ...whole }]);
    await expect(dock.loading).toHaveText(
      /5 min failed \(the service’s answer could not be read\) · \d+ requests? made/,
    );
    await expect(operator.state('Aircraft')).toHaveText(
      'Aircraft: could not be loaded at this time: the service’s answer could not be read',
    );
    await lookout.service.mend();
    await dock.button('Try again').click();
    await expect.poll(() => dock.band('Aircraft')).toEqual([{ state: 'complete', ...whole }]);
  });

  test('records that break the contract are left out, counted, and the rest is there', async ({ startDesk, page }) => {
    const { operator, lookout } = await startDesk();
    const dock = new ReplayDock(page);
    await lookout.service.breakWith({ kind: 'bad_record', operation: 'history_adsb' });
    await operator.goesTo(linkTo(pastWindow(5)));
    await dock.loads();
    await dock.isLoaded();
    await expect(dock.loading).toHaveText(/^Aircraft: \d+ records unreadable · \d+ requests made$/);
    expect(await dock.observations('Aircraft')).toBeGreaterThan(100);
  });

  test('a replay that is ahead of its loading waits, visibly, and goes on', async ({ startDesk, page }) => {
    const { operator, lookout } = await startDesk();
    const dock = new ReplayDock(page);
    const window = pastWindow(5);
    await operator.goesTo(linkTo(window, '&speed=120'));
    await lookout.service.breakWith({ kind: 'slow', delay_ms: 3000, operation: 'history_adsb', times: 1 });
    await dock.loads();
    await dock.button('Play').click();
    await expect(dock.loading).toContainText('Waiting for what comes next');
    expect(await dock.momentMs()).toBe(window.start);
    await dock.isLoaded();
    await expect(dock.loading).not.toContainText('Waiting');
    await expect.poll(() => dock.momentMs()).toBe(window.end);
    await expect(dock.button('Play')).toBeVisible();
  });

  test('a page that is closed stops its loading', async ({ startDesk, page, browser }) => {
    const { lookout } = await startDesk();
    const elsewhere = await browser.newPage();
    const operator = new LookoutDriver(elsewhere, lookout.url);
    const dock = new ReplayDock(elsewhere);
    await operator.goesTo(linkTo(pastWindow(60)));
    await lookout.service.breakWith({ kind: 'slow', delay_ms: 1000, operation: 'history_adsb' });
    await dock.loads();
    await expect.poll(async () => (await lookout.service.requests()).length).toBeGreaterThan(0);
    await elsewhere.close();
    const askedAtClose = (await lookout.service.requests()).length;
    // Long enough for several more, had anybody gone on asking: a second operator loads a window of five minutes meanwhile.
    await lookout.service.breakWith({ kind: 'slow', delay_ms: 500, operation: 'history_rid' });
    const other = new ReplayDock(page);
    const { start, end } = pastWindow(5);
    await page.goto(`${lookout.url}/?view=46.9,8.2,8&layers=rid&from=${written(start)}&to=${written(end)}`);
    await other.loads();
    await other.isLoaded();
    const later = await lookout.service.requests();
    expect(later.filter(({ operation }) => operation === 'history_adsb').length).toBeLessThanOrEqual(4);
    expect(askedAtClose).toBeGreaterThan(0);
  });
});

test.describe('A track in time', () => {
  test('lives as long as the live picture had shown, also where a link is opened without one', async ({
    operator,
    page,
  }) => {
    await operator.watches('/?view=46.9,8.2,8&layers=rid');
    const kept = () => page.evaluate(() => window.localStorage.getItem('lookout.lifetimes') ?? '');
    await expect.poll(kept).toContain('"drone":45000');
    const dock = new ReplayDock(page);
    const { start, end } = pastWindow(10);
    await operator.goesTo(`/?view=46.9,8.2,8&layers=rid&from=${written(start)}&to=${written(end)}`);
    await dock.isThere();
    const middle = await dock.pointAt(0.5);
    await page.mouse.click(middle.x, middle.y);
    await operator.tracks.sortsBy(/^Age/);
    await operator.tracks.selectsFirst();
    const [, age, left] =
      /Received (\d+) s ago · expires in (\d+) s/.exec(await page.getByTestId('track-age').innerText()) ?? [];
    // Both are whole seconds, cut off.
    expect(Number(age) + Number(left)).toBeGreaterThanOrEqual(43);
    expect(Number(age) + Number(left)).toBeLessThanOrEqual(45);
  });

  test('is told with its first and last position of the window, and both are one press away', async ({
    operator,
    page,
  }) => {
    const dock = new ReplayDock(page);
    const window = pastWindow(10);
    await operator.goesTo(linkTo(window));
    await dock.isThere();
    const middle = await dock.pointAt(0.5);
    await page.mouse.click(middle.x, middle.y);
    await operator.tracks.selectsFirst();
    const chart = page.getByTestId('track-chart');
    await expect(chart).toHaveAccessibleName(/Altitude|Height/);
    const first = page.getByRole('button', { name: /^First seen / });
    const [time = ''] = /\d\d:\d\d:\d\dZ/.exec(await first.innerText()) ?? [];
    await first.click();
    await expect.poll(async () => iso(await dock.momentMs()).slice(11, 19)).toBe(time.slice(0, 8));
    const last = page.getByRole('button', { name: /^Last seen / });
    const [lastTime = ''] = /\d\d:\d\d:\d\dZ/.exec(await last.innerText()) ?? [];
    await last.click();
    await expect.poll(async () => iso(await dock.momentMs()).slice(11, 19)).toBe(lastTime.slice(0, 8));
  });
});

test.describe('The replay bar', () => {
  test('plays, pauses, steps and jumps by key', async ({ operator, page }) => {
    const dock = new ReplayDock(page);
    const window = pastWindow(5);
    await operator.goesTo(linkTo(window));
    await dock.isThere();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => dock.momentMs()).toBe(window.start + 11_000);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => dock.momentMs()).toBe(window.start + 10_000);
    await page.keyboard.press('End');
    await expect.poll(() => dock.momentMs()).toBe(window.end);
    await page.keyboard.press('Home');
    await expect.poll(() => dock.momentMs()).toBe(window.start);
    for (const speed of [2, 5, 10, 20, 30]) {
      await page.keyboard.press(']');
      await expect(dock.button(`Speed: ${speed}×. Change`)).toBeVisible();
    }
    await page.keyboard.press('[');
    await page.keyboard.press(' ');
    await expect(dock.button('Pause')).toBeVisible();
    await expect.poll(() => dock.momentMs()).toBeGreaterThan(window.start + 10_000);
    await page.keyboard.press(' ');
    await expect(dock.button('Play')).toBeVisible();
    expect(operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 8 });
  });

  test('moves with a drag and with the wheel, and tells the time under the pointer', async ({ operator, page }) => {
    const dock = new ReplayDock(page);
    const window = pastWindow(10);
    await operator.goesTo(linkTo(window));
    await dock.isThere();
    const [from, to] = [await dock.pointAt(0.2), await dock.pointAt(0.7)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await expect(page.getByTestId('timeline-hover')).toContainText(iso(window.start + 7 * MINUTE_MS).slice(11, 16));
    await expect(page.getByTestId('timeline-hover')).toContainText('Aircraft complete');
    await page.mouse.up();
    await expect.poll(() => dock.momentMs()).toBeGreaterThan(window.start + 6.9 * MINUTE_MS);
    const before = await dock.momentMs();
    await page.mouse.wheel(0, -300);
    await expect.poll(() => dock.momentMs()).toBeLessThan(before - 20_000);
  });

  test('opens the window that was typed, and says what is wrong with one that cannot be', async ({
    operator,
    page,
  }) => {
    const dock = new ReplayDock(page);
    await operator.goesTo(linkTo(pastWindow(5)));
    await dock.windowButton.click();
    const picker = page.getByRole('dialog', { name: 'Window of the replay' });
    const yesterday = iso(Date.now() - 86_400_000).slice(0, 10);
    await picker.getByLabel('Day, UTC').fill(yesterday);
    await picker.getByLabel('From, UTC').fill('10:04');
    await picker.getByLabel('To, UTC').fill('11:30');
    await picker.getByRole('button', { name: 'Open this window' }).click();
    await expect(picker.getByRole('alert')).toHaveText('A replay is at most one hour long.');
    await picker.getByLabel('To, UTC').fill('10:14:30');
    await picker.getByRole('button', { name: 'Open this window' }).click();
    await expect(dock.windowButton).toContainText('10:04Z–10:14:30Z');
    await expect(dock.plate).toHaveText(new RegExp(`^REPLAY ${yesterday} 10:04:00Z`));
    await expect.poll(() => new URL(page.url()).searchParams.get('to')).toBe(`${yesterday}T10:14:30Z`);
  });

  test('of a view that is wider than one request may be offers its middle, or tiles, each at its price', async ({
    operator,
    page,
  }) => {
    const dock = new ReplayDock(page);
    const { start, end } = pastWindow(5);
    await operator.goesTo(`/?view=46.9,8.2,6&layers=rid&from=${written(start)}&to=${written(end)}`);
    await expect(dock.button(/^Load all in \d+ tiles: (at least|about) \d+ requests?, at most \d+$/)).toBeVisible();
    await dock.button(/^Load the middle 5°: (at least|about) \d+ requests?, at most \d+$/).click();
    await dock.isLoaded();
    await expect(operator.notice('capped')).toHaveText('Only the framed area is loaded.');
  });
});
