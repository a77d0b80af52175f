import { expect, type Locator, type Page } from '@playwright/test';
import { mapFits } from './map-fits.ts';

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

  async starts(): Promise<void> {
    await this.#page.keyboard.press('m');
    await expect(this.#page.getByRole('button', { name: 'End measuring' })).toHaveAttribute('aria-pressed', 'true');
    await expect(this.strip).toBeVisible();
    await mapFits(this.#page);
  }

  /** @param leg from 0 */
  async metres(leg: number): Promise<number> {
    return Number(await this.legs.nth(leg).getAttribute('data-metres'));
  }
}
