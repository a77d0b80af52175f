import type { CDPSession, Page } from '@playwright/test';
import { axeFaults } from './driver/axe-faults.ts';
import { letTimePass } from './driver/browser-clock.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { expect, test } from './lookout-test.ts';
import { startListeningProxy } from './running/listening-proxy.ts';
import type { OperatorAccount } from './running/operators.ts';

const VIEW = 'view=46.9,8.2,8';

const READS = ['GET /api/alarms', 'GET /api/live', 'GET /api/overlays', 'GET /api/zones'];
const READS_IN_TURN = [...READS, 'GET /api/views'];

const SCREEN = { diagonalIn: 65, distanceMm: 5000 };
const SCREEN_HEIGHT_MM = SCREEN.diagonalIn * 25.4 * (9 / Math.hypot(16, 9));
const CAPITAL_EM = 0.727;
const LEAST_ARC_MIN = 20;

function requestsOf(page: Page): { readonly routes: Set<string>; readonly places: string[] } {
  const seen = { routes: new Set<string>(), places: [] as string[] };
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (!pathname.startsWith('/api/')) return;
    seen.routes.add(`${request.method()} ${pathname}`);
    if (pathname === '/api/live') seen.places.push(searchParams.get('bbox') ?? '');
  });
  return seen;
}

/** Font sizes of all texts of the wall outside the map and its dialog, and texts that have too little room. */
function lettersOf(page: Page) {
  return page.evaluate(() => {
    const sizes: { px: number; text: string }[] = [];
    const cut: string[] = [];
    const walker = document.createTreeWalker(document.querySelector('.wall') as Element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement as HTMLElement;
      const text = (node.textContent ?? '').trim();
      if (text === '' || element.closest('.wall-map, .sr-only, .skip-link, style')) continue;
      if (element.getClientRects().length === 0) continue;
      sizes.push({ px: Number.parseFloat(getComputedStyle(element).fontSize), text });
      const { left, right, top, bottom } = element.getBoundingClientRect();
      if (left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1) cut.push(text);
    }
    return { sizes, cut };
  });
}

async function heapMb(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

const second = (page: Page) => page.getByTestId('wall-hand').getAttribute('data-second');

async function handMoves(page: Page): Promise<void> {
  await expect(page.getByTestId('wall-loss')).toHaveCount(0);
  await expect(page.getByTestId('wall-hand')).toHaveAttribute('data-stopped', 'false');
  const before = await second(page);
  await expect.poll(() => second(page)).not.toBe(before);
}

test('A wall is read from five metres on any screen, only reads, takes no input, and Escape leads back', async ({
  operator,
  page,
}) => {
  const { routes, places } = requestsOf(page);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await operator.watches(`/?wall&${VIEW}&theme=dark&alt=..12000`);
  await handMoves(page);

  await test.step('letters and room', async () => {
    for (const [width, height] of [
      [1280, 720],
      [1920, 1080],
      [3840, 2160],
    ] as const) {
      await page.setViewportSize({ width, height });
      const { sizes, cut } = await lettersOf(page);
      const tooSmall = sizes.filter(({ px }) => {
        const capitalMm = (px * CAPITAL_EM * SCREEN_HEIGHT_MM) / height;
        return (Math.atan(capitalMm / SCREEN.distanceMm) * 180 * 60) / Math.PI < LEAST_ARC_MIN;
      });
      expect(sizes.length).toBeGreaterThan(8);
      expect(tooSmall, `${width} × ${height}`).toEqual([]);
      expect(cut, `${width} × ${height}`).toEqual([]);
    }
    await page.setViewportSize({ width: 1920, height: 1080 });
  });

  await test.step('it says what the picture is', async () => {
    await expect(page.getByTestId('wall-notes')).toContainText('All traffic shown is simulated');
    await expect(page.getByTestId('wall-notes')).toContainText('Filter: Altitude below 12000 m');
    await expect(page.getByTestId('wall-layer-adsb')).toHaveText(/^Aircraft[\d/]+ SIM\d+ s$/);
    await expect(page.getByTestId('wall-alarms')).toContainText('No zones');
  });

  await test.step('no input moves it', async () => {
    await page.mouse.move(400, 500);
    await page.mouse.wheel(0, -900);
    await page.mouse.down();
    await page.mouse.move(700, 600);
    await page.mouse.up();
    await page.keyboard.press('+');
    await page.keyboard.press('r');
    const { length } = places;
    await expect.poll(() => places.length).toBeGreaterThan(length + 2);
    expect(new Set(places.slice(length)).size).toBe(1);
    expect(new URL(page.url()).search).toBe(`?wall&${VIEW}&theme=dark&alt=..12000`);
    expect([...routes].sort()).toEqual(READS);
  });

  await test.step('no fault for assistive tools, no trap, and a way back', async () => {
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Tab');
    const way = page.getByRole('link', { name: 'Back to the map' });
    await expect(way).toBeFocused();
    expect(await axeFaults(page)).toEqual([]);
    await way.blur();
    await page.keyboard.press('Escape');
    await expect(way).toBeFocused();
    await expect(way, 'a key hit by chance').not.toBeFocused({ timeout: 12_000 });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await operator.seesPositions();
    await expect(page.getByTestId('chip-adsb')).toBeVisible();
    expect(operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 8 });
    await page.emulateMedia({ colorScheme: 'light' });
    await expect(page.locator('html')).not.toHaveAttribute('data-theme');
  });
});

test('A wall says since when it has no connection, comes back by itself from a stopped server, a lost network and a sleep, and does not grow', async ({
  page,
  sharedLookout,
}) => {
  const proxy = await startListeningProxy(sharedLookout.url);
  const operator = new LookoutDriver(page, proxy.url);
  const { places } = requestsOf(page);
  const devtools = await page.context().newCDPSession(page);
  const loss = page.getByTestId('wall-loss');
  await operator.watches(`/?wall&${VIEW}`);
  await handMoves(page);
  const heapBefore = await heapMb(devtools);

  await test.step('the server stops: the hand stands, the clock goes on, marks age and are removed', async () => {
    proxy.stop();
    await expect(loss).toHaveText(/^No connectionsince \d\d:\d\d:\d\dZLookout’s own server does not answer\.$/);
    const [hand, time] = [await second(page), await page.locator('.wall-time').textContent()];
    await expect(page.locator('.wall-time')).not.toHaveText(time ?? '');
    expect(await second(page)).toBe(hand);
    expect(await operator.marksDrawn()).toBeGreaterThan(0);
    await letTimePass(page, 280_000);
    await expect.poll(() => operator.marksDrawn()).toBe(0);
    await expect(page.getByTestId('wall-layer-adsb')).toHaveText(/^Aircraft\d+ min old$/);
    await proxy.restart();
    await operator.seesPositions();
    await handMoves(page);
  });

  await test.step('the network is off, and on', async () => {
    await page.context().setOffline(true);
    await expect(loss).toContainText('You are offline.');
    await page.context().setOffline(false);
    await handMoves(page);
  });

  await test.step('a request of before a sleep hangs: everything is read again at once', async () => {
    await page.route('**/api/live*', () => undefined);
    const { length } = places;
    await expect.poll(() => places.length, 'a request hangs').toBeGreaterThan(length);
    await page.unroute('**/api/live*');
    const hung = places.length;
    await letTimePass(page, 3_600_000);
    await expect.poll(() => places.length, { timeout: 10_000 }).toBeGreaterThan(hung);
    await handMoves(page);
    await expect(page.getByTestId('wall-layer-adsb')).toHaveText(/SIM\d+ s$/);
  });

  expect(await heapMb(devtools)).toBeLessThan(heapBefore + 6);
});

test('Saved views are shown in turn, after their price; the wall names how many are gone, and never shows the past', async ({
  operator,
  page,
  sharedLookout,
}) => {
  const { routes, places } = requestsOf(page);
  const save = async (name: string, query: string) => {
    const answer = await page.request.post(`${sharedLookout.url}/api/views`, {
      data: { name, query, shared: false },
      headers: { origin: sharedLookout.url },
    });
    expect(answer.status()).toBe(201);
    return ((await answer.json()) as { id: string }).id;
  };
  const past = '&from=2026-11-20T10:00:00Z&to=2026-11-20T11:00:00Z';
  const ids = [await save('Wall south', `?${VIEW}${past}`), await save('Wall west', '?view=46.5,6.6,8&layers=adsb')];
  await operator.watches(`/?${VIEW}`);
  await page.getByRole('tab', { name: 'View' }).click();
  const section = page.getByRole('region', { name: 'Wall display' });
  await section.getByText('Saved views in turn').click();
  for (const name of ['Wall south', 'Wall west']) await section.getByRole('switch', { name }).click();
  await section.getByRole('radio', { name: '30 s' }).click();
  await expect(section).toContainText('180 requests an hour or more');
  await section.getByRole('button', { name: 'Open the wall display' }).click();
  const notes = page.getByTestId('wall-notes');
  await expect(notes).toContainText('Wall south · 1 of 2');
  await operator.seesPositions();
  await expect(page.getByTestId('wall-layer-rid')).toContainText('SIM');
  const [first] = places.slice(-1);
  await expect(notes).toContainText('Wall west · 2 of 2');
  await expect(page.getByTestId('wall-layer-rid')).toHaveText('Dronesoff');
  await expect.poll(() => places.at(-1)).not.toBe(first);

  routes.clear();
  await page.request.delete(`${sharedLookout.url}/api/views/${ids[1]}`, { headers: { origin: sharedLookout.url } });
  await page.reload();
  await expect(notes).toContainText('1 saved view is no longer there');
  await expect(notes).toContainText('Wall south');
  await operator.goesTo(`/?wall&${VIEW}${past}&views=${ids[0]}`);
  await expect(notes).toContainText('The replay of the link is not shown: a wall is live.');
  await operator.seesPositions();
  expect([...routes].sort()).toEqual([...READS_IN_TURN].sort());
  await page.request.delete(`${sharedLookout.url}/api/views/${ids[0]}`, { headers: { origin: sharedLookout.url } });
});

test('The address of a wall’s token opens one wall: it shows its view alone, keeps the token nowhere, may do nothing else, and ends when the token is revoked', async ({
  page,
  playwright,
  startDesk,
}) => {
  const { lookout, operator } = await startDesk({ operators: ['root'], roles: { root: 'admin' } });
  const { url } = lookout;
  const admin = await playwright.request.newContext({ baseURL: url, extraHTTPHeaders: { origin: url } });
  const made = async (path: string, data: object) => (await admin.post(path, { data })).json();
  const { name, password } = lookout.operators[0] as OperatorAccount;
  expect((await admin.post('/api/session', { data: { name, password } })).status()).toBe(204);
  const view = await made('/api/views', { name: 'South', query: `?${VIEW}&layers=adsb`, shared: true });
  const { token, secret } = await made('/api/admin/read-tokens', { name: 'Tower', scopes: ['wall'], view: view.id });
  const sent: string[] = [];
  const refused: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${JSON.stringify(request.headers())}`));
  page.on('response', (answer) => answer.status() >= 400 && refused.push(`${answer.status()} ${answer.url()}`));

  await test.step('it opens, and the token is nowhere', async () => {
    await operator.goesTo(`/wall#${secret}`);
    await operator.seesPositions();
    await handMoves(page);
    expect(page.url()).toBe(`${url}/?wall`);
    await expect(page.getByTestId('wall-layer-rid')).toHaveText('Dronesoff');
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
      ['lookout-wall', true, 'Strict'],
    ]);
    for (const text of [...sent, stored, JSON.stringify(cookies)]) expect(text).not.toContain(secret);
    expect(refused).toEqual([]);
    await page.goBack();
    expect(page.url()).not.toContain(secret);
  });

  await test.step('it may do nothing else', async () => {
    await operator.goesTo('/?view=20,20,4');
    await handMoves(page);
    expect(page.url()).toBe(`${url}/?wall`);
    const statuses = await page.evaluate(() =>
      Promise.all(
        [
          ['GET', '/api/views'],
          ['GET', '/api/admin/people'],
          ['GET', '/api/live?bbox=19,19,21,21'],
          ['POST', '/api/zones'],
          ['POST', '/api/alarms/acknowledge'],
        ].map(async ([method = '', path = '']) => (await fetch(path, { method })).status),
      ),
    );
    expect(statuses).toEqual([403, 403, 403, 403, 403]);
    for (const path of ['/admin', '/account', '/incidents']) {
      await operator.goesTo(path);
      expect(new URL(page.url()).pathname).toBe('/sign-in');
    }
  });

  await test.step('its address works once', async () => {
    await operator.goesTo(`/wall#${secret}`);
    await expect(page.locator('main').getByRole('alert')).toHaveText(/^This address opens no wall/);
    expect(page.url()).toBe(`${url}/wall`);
    await page.getByRole('link', { name: 'Back to the wall' }).click();
    await handMoves(page);
  });

  await test.step('it ends with its token, within a poll', async () => {
    expect((await admin.delete(`/api/admin/read-tokens/${token.id}`)).status()).toBe(204);
    await expect(page.getByTestId('wall-loss')).toContainText('Signed out');
    await operator.goesTo('/?wall');
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });
  await admin.dispose();
});
