import { expect, type Locator, type Page } from '@playwright/test';

/** The strip below the map: distances, bearings and range rings. */
export class MeasuringTool {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get strip(): Locator {
    return this.#page.getByTestId('measuring');
  }

  get legs(): Locator {
    return this.strip.getByTestId('legs').locator('li');
  }

  get total(): Locator {
    return this.strip.getByTestId('total');
  }

  get ringCentres(): Locator {
    return this.strip.getByTestId('ring-centres').locator('li');
  }

  get radii(): Locator {
    return this.strip.getByRole('textbox', { name: /^Radii/ });
  }

  /** Presses the key, and waits until clicks on the map are points. */
  async starts(): Promise<void> {
    await this.#page.keyboard.press('m');
    await expect(this.#page.getByRole('button', { name: 'End measuring' })).toHaveAttribute('aria-pressed', 'true');
    await expect(this.strip).toBeVisible();
    await this.#mapFits();
  }

  /** Waits until the map is drawn beside the strip, which takes room from it. */
  async #mapFits(): Promise<void> {
    const map = this.#page.getByTestId('map');
    // The canvas is a whole number of device pixels, of which the tests have one for 4 CSS pixels.
    const differencePx = () =>
      map.evaluate((area) => Math.abs((area.querySelector('canvas')?.clientHeight ?? 0) - area.clientHeight));
    await expect.poll(differencePx, { message: 'the map fits above the strip' }).toBeLessThan(4);
    const frame = () => this.#page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    await frame();
    await frame();
  }

  /** Length of a leg, counted from 0, in metres. */
  async metres(leg: number): Promise<number> {
    return Number(await this.legs.nth(leg).getAttribute('data-metres'));
  }
}
