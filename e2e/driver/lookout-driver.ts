import { expect, type Locator, type Page } from '@playwright/test';
import { type Bbox, joinAtAntimeridian, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { viewBox } from '#lib/geo/view-box.ts';
import { AnswersSeen } from './answers-seen.ts';
import { FindDialog } from './find-dialog.ts';
import { medianLuminance } from './median-luminance.ts';
import { offsetFromMiddle, type ViewOnScreen } from './screen-point.ts';
import { TrackPanel } from './track-panel.ts';

export type LayerName = 'Aircraft' | 'Drones';

const LAYER_NAMES = ['Aircraft', 'Drones'] as const satisfies readonly LayerName[];
const LAYER_ID = { Aircraft: 'adsb', Drones: 'rid' } as const;

interface Place {
  readonly lat: number;
  readonly lon: number;
}

export class LookoutDriver {
  readonly page: Page;
  readonly answers: AnswersSeen;
  readonly tracks: TrackPanel;
  readonly find: FindDialog;
  readonly #url: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
    this.answers = new AnswersSeen(page);
    this.tracks = new TrackPanel(page);
    this.find = new FindDialog(page);
  }

  /** Waits only for the document. */
  async goesTo(path: string): Promise<void> {
    await this.page.goto(`${this.#url}${path}`, { waitUntil: 'domcontentloaded' });
  }

  /** Waits for positions on the map. */
  async watches(path = '/'): Promise<void> {
    await this.goesTo(path);
    await this.seesPositions();
  }

  async isAnswered(): Promise<void> {
    await expect.poll(() => this.answers.last() !== undefined, 'answered').toBe(true);
  }

  async seesPositions(): Promise<void> {
    await expect(this.#map, 'positions are drawn').toHaveAttribute('data-ready', 'true');
    await expect.poll(() => this.marksDrawn(), 'marks on the map').toBeGreaterThan(0);
  }

  /** All of the view was read: more tracks would move rows. */
  async seesAll(): Promise<void> {
    const isAllRead = () => {
      const layers = Object.values(this.answers.last()?.layers ?? {});
      return layers.length > 0 && layers.every(({ state, partial }) => state === 'fresh' && !partial);
    };
    await expect.poll(isAllRead, 'all of the view is read').toBe(true);
    const isAllDrawn = async () => (await this.marksDrawn()) >= this.answers.currentRecords(Date.now());
    await expect.poll(isAllDrawn, 'all of it is drawn').toBe(true);
  }

  /** Expired ones included. */
  async marksDrawn(): Promise<number> {
    return Number(await this.#map.getAttribute('data-drawn'));
  }

  async trailLines(): Promise<{ readonly solid: number; readonly dotted: number }> {
    const of = async (shape: string) => Number(await this.#map.getAttribute(`data-trail-${shape}`));
    return { solid: await of('solid'), dotted: await of('dotted') };
  }

  count(layer: LayerName): Locator {
    return this.page.getByTestId(`count-${LAYER_ID[layer]}`);
  }

  /** As the chip shows it, such as `61 SIM`; `count` has the whole text, for screen readers. */
  shownCount(layer: LayerName): Locator {
    return this.page.getByTestId(`shown-count-${LAYER_ID[layer]}`);
  }

  async countOf(layer: LayerName): Promise<number> {
    const [current = ''] = ((await this.count(layer).textContent()) ?? '').split(' · ');
    return [...current.matchAll(/\d+/g)].reduce((sum, [digits]) => sum + Number(digits), 0);
  }

  /** Positions in view that are counted too few, negative, or too many. */
  async miscounted(): Promise<number> {
    const counted = (await this.countOf('Aircraft')) + (await this.countOf('Drones'));
    return this.answers.miscounted(counted, Date.now(), await this.boxInView());
  }

  async boxInView(): Promise<Bbox> {
    const [box, view] = [await this.#map.boundingBox(), this.viewInAddress()];
    if (!box || !view) throw new Error('the page has no view');
    return viewBox(view, box);
  }

  async expired(): Promise<number> {
    const texts = await Promise.all(LAYER_NAMES.map((layer) => this.count(layer).textContent()));
    return texts.reduce((sum, text) => sum + Number(/ · (\d+)( \w+)? expired$/.exec(text ?? '')?.[1] ?? 0), 0);
  }

  state(layer: LayerName): Locator {
    return this.page.getByTestId(`layer-state-${LAYER_ID[layer]}`);
  }

  /** Seconds; NaN if none is shown. */
  async secondsOld(layer: LayerName): Promise<number> {
    const sentence = (await this.state(layer).textContent()) ?? '';
    return Number(/read (\d+) s ago/.exec(sentence)?.[1] ?? Number.NaN);
  }

  async waitsUntilOld(layer: LayerName, seconds: number): Promise<void> {
    await expect.poll(() => this.secondsOld(layer), `${layer} read ${seconds} s ago`).toBeGreaterThanOrEqual(seconds);
  }

  /** An answer that arrives later would set the page's clock, and undo a shift of it. */
  async goesOffline(): Promise<void> {
    await this.page.context().setOffline(true);
    await expect(this.notice('offline')).toBeVisible();
    await expect.poll(() => this.answers.underWay, 'no answer is under way').toBe(0);
    await this.waitsUntilOld('Aircraft', (await this.secondsOld('Aircraft')) + 1);
  }

  covered(): { readonly middle: Place; readonly lonSpanDeg: number; readonly latSpanDeg: number } {
    const box = joinAtAntimeridian(this.answers.last()?.covered ?? []);
    if (!box) throw new Error('no answer yet');
    const lon = box.west + lonSpanDeg(box) / 2;
    const middle = { lon: lon > 180 ? lon - 360 : lon, lat: (box.south + box.north) / 2 };
    return { middle, lonSpanDeg: lonSpanDeg(box), latSpanDeg: latSpanDeg(box) };
  }

  notice(key: string): Locator {
    return this.page.getByTestId(`notice-${key}`);
  }

  /** A click goes to the next one. */
  get emergencies(): Locator {
    return this.page.getByTestId('emergency-count');
  }

  get legend(): Locator {
    return this.page.getByTestId('legend');
  }

  get clock(): Locator {
    return this.page.getByTestId('clock');
  }

  /** Epoch ms. */
  async timeShownMs(): Promise<number> {
    const label = (await this.clock.getAttribute('aria-label')) ?? '';
    const [, time, date] = /^(\S+Z) (\S+)\./.exec(label) ?? [];
    return Date.parse(`${date}T${time}`);
  }

  get sheet(): Locator {
    return this.page.getByTestId('sheet');
  }

  get help(): Locator {
    return this.page.getByRole('dialog', { name: 'Help' });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  async switchesLayer(layer: LayerName): Promise<void> {
    await this.page.getByTestId(`chip-${LAYER_ID[layer]}`).click();
    await this.page.getByRole('switch', { name: `${layer} layer` }).click();
    await this.page.keyboard.press('Escape');
  }

  async choosesTheme(theme: 'system' | 'dark' | 'light'): Promise<void> {
    const root = this.page.locator('html');
    for (let press = 0; press < 3; press++) {
      if ((await this.button(/^Theme: /).getAttribute('aria-label'))?.startsWith(`Theme: ${theme}.`)) return;
      await this.button(/^Theme: /).click();
    }
    await expect(root).toHaveAttribute('data-theme', theme);
  }

  async backgroundColour(): Promise<string> {
    return this.page.getByRole('banner').evaluate((bar) => getComputedStyle(bar).backgroundColor);
  }

  /** Headless browsers report every tab as visible. */
  async hidesTheTab(): Promise<void> {
    await this.#setVisibility('hidden');
  }

  async returnsToTheTab(): Promise<void> {
    await this.#setVisibility('visible');
  }

  async #setVisibility(state: DocumentVisibilityState): Promise<void> {
    await this.page.evaluate((reported) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => reported });
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => reported === 'hidden' });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, state);
  }

  viewInAddress(): ViewOnScreen | undefined {
    const view = new URL(this.page.url()).searchParams.get('view')?.split(',').map(Number);
    if (!view || view.length < 3) return undefined;
    const [lat, lon, zoom] = view as [number, number, number];
    return { lat, lon, zoom };
  }

  /** @param meanwhile happens half way */
  async drags(byX: number, byY: number, meanwhile?: () => Promise<void>): Promise<void> {
    const { x, y } = await this.#middle();
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + byX / 2, y + byY / 2, { steps: 4 });
    await meanwhile?.();
    await this.page.mouse.move(x + byX, y + byY, { steps: 4 });
    await this.page.mouse.up();
  }

  /** @param key held down meanwhile */
  async clicksMapAt(place: Place, key?: 'Shift' | 'Control'): Promise<void> {
    const { x, y } = await this.pointOf(place);
    if (key) await this.page.keyboard.down(key);
    await this.page.mouse.click(x, y);
    if (key) await this.page.keyboard.up(key);
  }

  async tapsMapAt(place: Place): Promise<void> {
    const { x, y } = await this.pointOf(place);
    await this.page.touchscreen.tap(x, y);
  }

  /** Drags one finger over the map, and rests it before it lifts: after a fling, Chromium takes the next tap for its end. */
  async dragsByTouch(from: Place, to: Place): Promise<void> {
    const [start, end] = [await this.pointOf(from), await this.pointOf(to)];
    const session = await this.page.context().newCDPSession(this.page);
    const startedS = Date.now() / 1000 - 1;
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', part: number, afterS: number) => {
      const point = { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part };
      const touchPoints = type === 'touchEnd' ? [] : [point];
      return session.send('Input.dispatchTouchEvent', { type, touchPoints, timestamp: startedS + afterS });
    };
    await send('touchStart', 0, 0);
    for (let step = 1; step <= 8; step++) await send('touchMove', step / 8, step * 0.05);
    await send('touchMove', 1, 0.8);
    await send('touchEnd', 1, 0.9);
    await session.detach();
  }

  async pointsAt(place: Place): Promise<void> {
    const { x, y } = await this.pointOf(place);
    await this.page.mouse.move(x, y);
  }

  async drawsBox(from: Place, to: Place): Promise<void> {
    const [start, end] = [await this.pointOf(from), await this.pointOf(to)];
    await this.page.keyboard.down('Shift');
    await this.page.mouse.move(start.x, start.y);
    await this.page.mouse.down();
    await this.page.mouse.move(end.x, end.y, { steps: 4 });
    await this.page.mouse.up();
    await this.page.keyboard.up('Shift');
  }

  /** 0 (black) to 255. */
  async luminanceAt(place: Place): Promise<number> {
    const { x, y } = await this.pointOf(place);
    const clip = { x: x - 20, y: y - 20, width: 40, height: 40 };
    return medianLuminance(this.page, await this.screenshot(clip));
  }

  async screenshot(clip: { x: number; y: number; width: number; height: number }): Promise<Buffer> {
    return this.page.screenshot({ clip, animations: 'disabled' });
  }

  /** CSS pixels. */
  async pointOf(place: Place): Promise<{ x: number; y: number }> {
    const view = this.viewInAddress();
    if (!view) throw new Error('the address bar has no view');
    const middle = await this.#middle();
    const offset = offsetFromMiddle(view, place);
    return { x: middle.x + offset.x, y: middle.y + offset.y };
  }

  async #middle(): Promise<{ x: number; y: number }> {
    const box = await this.#map.boundingBox();
    if (!box) throw new Error('the map is not on the page');
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  get #map(): Locator {
    return this.page.getByTestId('map');
  }
}
