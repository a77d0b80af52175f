import { expect, type Locator, type Page } from '@playwright/test';

export class FindDialog {
  readonly field: Locator;
  readonly options: Locator;
  readonly state: Locator;
  readonly marked: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.field = page.getByRole('combobox', { name: /^Find a reference/ });
    this.options = page.getByRole('listbox', { name: 'Found' }).getByRole('option');
    this.state = page.getByTestId('find-state');
    this.marked = page.getByTestId('marked-place');
  }

  async types(text: string, key: '/' | 'Control+k' = '/'): Promise<void> {
    if (!(await this.field.isVisible())) await this.#page.keyboard.press(key);
    await expect(this.field).toBeFocused();
    await this.field.fill(text);
  }

  async goesTo(text: string): Promise<void> {
    await this.types(text);
    await this.#page.keyboard.press('Enter');
    await expect(this.field).toHaveCount(0);
  }

  async middle(): Promise<{ readonly lat: number; readonly lon: number; readonly zoom: number }> {
    const view = new URL(this.#page.url()).searchParams.get('view') ?? '';
    const [lat = Number.NaN, lon = Number.NaN, zoom = Number.NaN] = view.split(',').map(Number);
    return { lat, lon, zoom };
  }
}
