import { expect, type Locator, type Page } from '@playwright/test';

/** The search, as an operator types into it, and the place that it marks. */
export class FindDialog {
  readonly field: Locator;
  readonly options: Locator;
  /** The text that says how much was found, and where the search looked. */
  readonly state: Locator;
  /** The plate of the marked place. */
  readonly marked: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.field = page.getByRole('combobox', { name: /^Find a reference/ });
    this.options = page.getByRole('listbox', { name: 'Found' }).getByRole('option');
    this.state = page.getByTestId('find-state');
    this.marked = page.getByTestId('marked-place');
  }

  /** Opens the search with a key, types, and leaves it open. */
  async types(text: string, key: '/' | 'Control+k' = '/'): Promise<void> {
    if (!(await this.field.isVisible())) await this.#page.keyboard.press(key);
    await expect(this.field).toBeFocused();
    await this.field.fill(text);
  }

  /** Types and goes to what is found first, as fast as one types. */
  async goesTo(text: string): Promise<void> {
    await this.types(text);
    await this.#page.keyboard.press('Enter');
    await expect(this.field).toHaveCount(0);
  }

  /** Middle and zoom of the map, from the address bar. */
  async middle(): Promise<{ readonly lat: number; readonly lon: number; readonly zoom: number }> {
    const view = new URL(this.#page.url()).searchParams.get('view') ?? '';
    const [lat = Number.NaN, lon = Number.NaN, zoom = Number.NaN] = view.split(',').map(Number);
    return { lat, lon, zoom };
  }
}
