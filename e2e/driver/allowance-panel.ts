import type { Locator, Page } from '@playwright/test';

export class AllowancePanel {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async opens(): Promise<void> {
    await this.#page.getByRole('tab', { name: 'Allowance' }).click();
  }

  left(window: 'minute' | 'day'): Locator {
    return this.#page.getByTestId(`allowance-${window}-left`);
  }

  /** NaN without a number. */
  async leftToday(): Promise<number> {
    const text = (await this.left('day').textContent()) ?? '';
    return Number(/^[\d\s]+/.exec(text)?.[0].replace(/\s/g, '') || Number.NaN);
  }

  areas(layer: 'Aircraft' | 'Drones'): Locator {
    return this.#page.getByTestId(layer === 'Aircraft' ? 'area-adsb' : 'area-rid');
  }

  get problems(): Locator {
    return this.#page.getByRole('list', { name: 'Access problems' });
  }

  get checkAgain(): Locator {
    return this.#page.getByRole('button', { name: /check again now/i });
  }

  /** As an admin. */
  async checksAccount(): Promise<void> {
    await this.#page.getByRole('button', { name: /check again now ?: all layers/i }).click();
  }

  recheckNote(layer: 'Aircraft' | 'Drones'): Locator {
    return this.#page.getByTestId(layer === 'Aircraft' ? 'recheck-adsb' : 'recheck-rid');
  }
}
