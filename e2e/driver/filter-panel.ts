import type { Locator, Page } from '@playwright/test';

export class FilterPanel {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get line(): Locator {
    return this.#page.getByTestId('filter-line');
  }

  async opens(): Promise<void> {
    await this.#page.getByRole('tab', { name: 'Filter' }).click();
  }

  async count(): Promise<{ readonly shown: number; readonly received: number }> {
    const count = this.#page.getByTestId('filter-count');
    const [shown, received] = await Promise.all(
      ['data-shown', 'data-received'].map(async (name) => Number(await count.getAttribute(name))),
    );
    return { shown: shown as number, received: received as number };
  }

  removes(criterion: string): Locator {
    return this.line.getByRole('button', { name: `Remove from the filter: ${criterion}`, exact: true });
  }

  async clears(): Promise<void> {
    await this.line.getByRole('button', { name: 'Clear the filter' }).click();
  }

  /** CSS pixels of the map. */
  async drawsCircle(from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
    await this.#page.getByRole('button', { name: 'Draw a circle or polygon' }).click();
    await this.#page.locator('[data-draws="area"]').waitFor();
    const map = await this.#page.getByTestId('map').boundingBox();
    if (!map) throw new Error('no map');
    await this.#page.mouse.move(map.x + from.x, map.y + from.y);
    await this.#page.mouse.down();
    await this.#page.mouse.move(map.x + to.x, map.y + to.y, { steps: 4 });
    await this.#page.mouse.up();
  }
}
