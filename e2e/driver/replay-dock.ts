import { expect, type Locator, type Page } from '@playwright/test';
import type { ClockZone } from '#lib/model/clock-text.ts';
import type { LayerName } from './lookout-driver.ts';

const LAYER_ID = { Aircraft: 'adsb', Drones: 'rid' } as const;

export interface BandRun {
  readonly state: string;
  readonly start: string;
  readonly end: string;
}

export class ReplayDock {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get dock(): Locator {
    return this.#page.getByTestId('replay-dock');
  }

  get plate(): Locator {
    return this.#page.getByTestId('replay-plate');
  }

  get loading(): Locator {
    return this.#page.getByTestId('replay-loading');
  }

  get timeline(): Locator {
    return this.#page.getByTestId('timeline');
  }

  button(name: string | RegExp): Locator {
    return this.dock.getByRole('button', { name });
  }

  get windowButton(): Locator {
    return this.#page.getByTestId('replay-window');
  }

  /** No replay loads by itself. Call it before the page opens. */
  async asksFirst(): Promise<void> {
    await this.prefers({ replayAutoLoadMax: 0 });
  }

  /** Call it before the page opens. */
  async prefers(changes: { readonly replayAutoLoadMax?: number; readonly zone?: ClockZone }): Promise<void> {
    await this.#page.addInitScript((changes) => {
      const name = 'lookout.preferences';
      const preferences = JSON.parse(window.localStorage.getItem(name) ?? '{}');
      window.localStorage.setItem(name, JSON.stringify({ ...preferences, ...changes }));
    }, changes);
  }

  /** @returns the button's text, with the price */
  async loads(): Promise<string> {
    const button = this.button(/^Load \d+ (h|min)/);
    const text = await button.innerText();
    await button.click();
    return text;
  }

  /** Accepts the quote if there is one. */
  async loadsFully(): Promise<void> {
    await expect(this.loading).toHaveAttribute('data-loading', /^(quoted|loading|done)$/);
    if ((await this.loading.getAttribute('data-loading')) === 'quoted') await this.loads();
    await this.isLoaded();
  }

  async loadsLastQuarter(): Promise<void> {
    await this.button(/^Load the last 15 min/).click();
    await this.isLoaded();
  }

  async isLoaded(): Promise<void> {
    await expect(this.loading).toHaveAttribute('data-loading', 'done');
  }

  async observations(layer: LayerName): Promise<number> {
    return Number(await this.#lane(layer).getAttribute('data-observations'));
  }

  async band(layer: LayerName): Promise<readonly BandRun[]> {
    return this.#lane(layer)
      .locator('.band:not([data-lead-in])')
      .evaluateAll((runs) =>
        runs.map((run) => {
          const { state = '', start = '', end = '' } = (run as HTMLElement).dataset;
          return { state, start, end };
        }),
      );
  }

  /** Epoch ms, to the second. */
  async shownAtMs(): Promise<number> {
    const label = (await this.#page.getByTestId('clock').getAttribute('aria-label')) ?? '';
    const [, time, date] = /^(\S+Z) (\S+)\./.exec(label) ?? [];
    return Date.parse(`${date}T${time}`);
  }

  /** @param fraction of the window, 0 to 1 */
  async pointAt(fraction: number): Promise<{ x: number; y: number }> {
    const box = await this.timeline.boundingBox();
    if (!box) throw new Error('there is no timeline');
    return { x: box.x + box.width * fraction, y: box.y + box.height / 3 };
  }

  leadIn(layer: LayerName): Locator {
    return this.#lane(layer).locator('[data-lead-in]');
  }

  #lane(layer: LayerName): Locator {
    return this.#page.getByTestId(`lane-${LAYER_ID[layer]}`);
  }
}
