import { expect, type Locator, type Page } from '@playwright/test';
import type { LayerName } from './lookout-driver.ts';

const layerId = { Aircraft: 'adsb', Drones: 'rid' } as const;

export interface BandRun {
  readonly state: string;
  readonly start: string;
  readonly end: string;
}

/** The replay bar, and what else says that the past is shown. */
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

  /** One line on how the loading stands. */
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

  /** Accepts the quote. @returns the button's words, which say what it costs */
  async loads(): Promise<string> {
    const button = this.button(/^Load: /);
    const words = await button.innerText();
    await button.click();
    return words;
  }

  /** Waits until the window is there; accepts the quote where there is one. */
  async isThere(): Promise<void> {
    await expect(this.loading).toHaveAttribute('data-loading', /^(quoted|loading|done)$/);
    if ((await this.loading.getAttribute('data-loading')) === 'quoted') await this.loads();
    await this.isLoaded();
  }

  async isLoaded(): Promise<void> {
    await expect(this.loading).toHaveAttribute('data-loading', 'done', { timeout: 60_000 });
  }

  /** Observations that the page holds of a layer. */
  async observations(layer: LayerName): Promise<number> {
    return Number(await this.#lane(layer).getAttribute('data-observations'));
  }

  /** The completeness band of a layer: its runs from the first to the last. */
  async band(layer: LayerName): Promise<readonly BandRun[]> {
    return this.#lane(layer)
      .locator('.band')
      .evaluateAll((runs) =>
        runs.map((run) => {
          const { state = '', start = '', end = '' } = (run as HTMLElement).dataset;
          return { state, start, end };
        }),
      );
  }

  /** The moment that is shown, in milliseconds of the epoch, to the second. */
  async momentMs(): Promise<number> {
    const words = (await this.#page.getByTestId('clock').getAttribute('aria-label')) ?? '';
    const [, date, time] = /^(\S+) (\S+Z)\./.exec(words) ?? [];
    return Date.parse(`${date}T${time}`);
  }

  /** A place on the timeline, by its part of the window. */
  async pointAt(part: number): Promise<{ x: number; y: number }> {
    const box = await this.timeline.boundingBox();
    if (!box) throw new Error('there is no timeline');
    return { x: box.x + box.width * part, y: box.y + box.height / 3 };
  }

  #lane(layer: LayerName): Locator {
    return this.#page.getByTestId(`lane-${layerId[layer]}`);
  }
}
