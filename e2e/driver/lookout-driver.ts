import { expect, type Locator, type Page } from '@playwright/test';
import { latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { joinAtAntimeridian } from '#lib/geo/join-at-antimeridian.ts';
import { AnswersSeen } from './answers-seen.ts';
import { offsetFromMiddle, type ViewOnScreen } from './screen-point.ts';
import { TrackPanel } from './track-panel.ts';

export type LayerName = 'Aircraft' | 'Drones';

const LAYER_NAMES = ['Aircraft', 'Drones'] as const satisfies readonly LayerName[];
const layerId = { Aircraft: 'adsb', Drones: 'rid' } as const;

interface Place {
  readonly lat: number;
  readonly lon: number;
}

/** An operator in front of the page. What is looked for and pressed on the page is known here and beside, and nowhere else. */
export class LookoutDriver {
  readonly page: Page;
  readonly answers: AnswersSeen;
  readonly tracks: TrackPanel;
  readonly #url: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
    this.answers = new AnswersSeen(page);
    this.tracks = new TrackPanel(page);
  }

  /** Opens a path of Lookout and waits for nothing but the document. */
  async goesTo(path: string): Promise<void> {
    await this.page.goto(`${this.#url}${path}`, { waitUntil: 'domcontentloaded' });
  }

  /** Opens the live page and waits until positions are on the map. */
  async watches(path = '/'): Promise<void> {
    await this.goesTo(path);
    await this.seesPositions();
  }

  /** Waits until the page was told what is watched, also where nothing was received there. */
  async isAnswered(): Promise<void> {
    await expect.poll(() => this.answers.last() !== undefined, { message: 'answered', timeout: 30_000 }).toBe(true);
  }

  async seesPositions(): Promise<void> {
    await expect(this.#map, 'positions are drawn').toHaveAttribute('data-ready', 'true', { timeout: 30_000 });
    await expect.poll(() => this.marksDrawn(), 'marks on the map').toBeGreaterThan(0);
  }

  /** Marks on the map, coasted ones included. */
  async marksDrawn(): Promise<number> {
    return Number(await this.#map.getAttribute('data-drawn'));
  }

  /** A layer's number in the bar, as it is written. */
  count(layer: LayerName): Locator {
    return this.page.getByTestId(`count-${layerId[layer]}`);
  }

  /** The current positions of a layer, of whatever origin. */
  async countOf(layer: LayerName): Promise<number> {
    const [words = ''] = ((await this.count(layer).textContent()) ?? '').split(' · ');
    return [...words.matchAll(/\d+/g)].reduce((sum, [digits]) => sum + Number(digits), 0);
  }

  /** Coasted positions of both layers, of whatever origin. */
  async coasted(): Promise<number> {
    const words = await Promise.all(LAYER_NAMES.map((layer) => this.count(layer).textContent()));
    return words.reduce((sum, counts) => sum + Number(/ · (\d+) \w+ coasted$/.exec(counts ?? '')?.[1] ?? 0), 0);
  }

  /** The sentence that says how a layer stands. */
  state(layer: LayerName): Locator {
    return this.page.getByTestId(`layer-state-${layerId[layer]}`);
  }

  /** How old the layer's positions are said to be, in seconds; NaN where nothing is said of it. */
  async secondsOld(layer: LayerName): Promise<number> {
    const sentence = (await this.state(layer).textContent()) ?? '';
    return Number(/read (\d+) s ago/.exec(sentence)?.[1] ?? Number.NaN);
  }

  /** Waits until the positions of a layer are said to be at least that old: that much time has passed on screen. */
  async waitsUntilOld(layer: LayerName, seconds: number): Promise<void> {
    await expect
      .poll(() => this.secondsOld(layer), { message: `${layer} read ${seconds} s ago`, timeout: (seconds + 15) * 1000 })
      .toBeGreaterThanOrEqual(seconds);
  }

  /** What the last answer said is watched. */
  watched(): { readonly middle: Place; readonly lonSpanDeg: number; readonly latSpanDeg: number } {
    const box = joinAtAntimeridian(this.answers.last()?.covered ?? []);
    if (!box) throw new Error('nothing was answered yet');
    const lon = box.west + lonSpanDeg(box) / 2;
    const middle = { lon: lon > 180 ? lon - 360 : lon, lat: (box.south + box.north) / 2 };
    return { middle, lonSpanDeg: lonSpanDeg(box), latSpanDeg: latSpanDeg(box) };
  }

  notice(key: string): Locator {
    return this.page.getByTestId(`notice-${key}`);
  }

  get legend(): Locator {
    return this.page.getByTestId('legend');
  }

  get clock(): Locator {
    return this.page.getByTestId('clock');
  }

  /** The time in the bar, in milliseconds of the epoch. */
  async timeShownMs(): Promise<number> {
    const words = (await this.clock.getAttribute('aria-label')) ?? '';
    const [, date, time] = /^(\S+) (\S+Z)\./.exec(words) ?? [];
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
    await this.page.getByTestId(`chip-${layerId[layer]}`).click();
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

  /** Headless browsers call every tab visible, so the page is told what a browser with windows would tell it. */
  async hidesTheTab(): Promise<void> {
    await this.#saysVisibility('hidden');
  }

  async returnsToTheTab(): Promise<void> {
    await this.#saysVisibility('visible');
  }

  async #saysVisibility(state: DocumentVisibilityState): Promise<void> {
    await this.page.evaluate((said) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => said });
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => said === 'hidden' });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, state);
  }

  /** What the address bar says of the view. */
  viewInAddress(): ViewOnScreen | undefined {
    const view = new URL(this.page.url()).searchParams.get('view')?.split(',').map(Number);
    if (!view || view.length < 3) return undefined;
    const [lat, lon, zoom] = view as [number, number, number];
    return { lat, lon, zoom };
  }

  async drags(byX: number, byY: number): Promise<void> {
    const { x, y } = await this.#middle();
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + byX, y + byY, { steps: 8 });
    await this.page.mouse.up();
  }

  async clicksMapAt(place: Place): Promise<void> {
    const { x, y } = await this.pointOf(place);
    await this.page.mouse.click(x, y);
  }

  /** What the page looks like there, as PNG. */
  async picture(clip: { x: number; y: number; width: number; height: number }): Promise<Buffer> {
    return this.page.screenshot({ clip, animations: 'disabled' });
  }

  /** Where a place stands on the page, in CSS pixels, by what the address bar says of the view. */
  async pointOf(place: Place): Promise<{ x: number; y: number }> {
    const view = this.viewInAddress();
    if (!view) throw new Error('the address bar says nothing of the view');
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
