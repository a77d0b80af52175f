import { expect, type Locator, type Page } from '@playwright/test';

interface Point {
  readonly x: number;
  readonly y: number;
}

export class IncidentTool {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get strip(): Locator {
    return this.#page.getByTestId('area-strip');
  }

  get times(): Locator {
    return this.strip.getByLabel('From–to, UTC');
  }

  get panel(): Locator {
    return this.#page.getByTestId('window-tracks');
  }

  get verdicts(): Locator {
    return this.panel.locator('li[data-kind]');
  }

  get rows(): Locator {
    return this.panel.locator('tr[data-ref]:not([data-not-known])');
  }

  get answer(): Locator {
    return this.#page.getByRole('dialog', { name: 'Which tracks were here' });
  }

  button(name: string | RegExp): Locator {
    return this.strip.getByRole('button', { name });
  }

  async drags(from: Point, to: Point): Promise<void> {
    await this.#page.mouse.move(from.x, from.y);
    await this.#page.mouse.down();
    await this.#page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 3 });
    await this.#page.mouse.move(to.x, to.y, { steps: 3 });
    await this.#page.mouse.up();
  }

  /** The panel covers all that is loaded. */
  async isLookedThrough(): Promise<void> {
    await expect(this.panel).toHaveAttribute('aria-busy', 'false');
  }
}
