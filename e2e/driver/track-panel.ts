import { expect, type Locator, type Page } from '@playwright/test';

export class TrackPanel {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get card(): Locator {
    return this.#page.getByTestId('track-card');
  }

  get table(): Locator {
    return this.#page.getByRole('grid');
  }

  get search(): Locator {
    return this.#page.getByRole('searchbox', { name: 'Find a reference' });
  }

  get rows(): Locator {
    return this.#page.locator('tr[data-ref]');
  }

  row(reference: string): Locator {
    return this.#page.locator(`tr[data-ref="${reference}"]`);
  }

  get selectedRow(): Locator {
    return this.#page.locator('tr[data-ref][aria-selected="true"]');
  }

  get selectedList(): Locator {
    return this.#page.getByTestId('selected-list');
  }

  async selectedRows(): Promise<readonly string[]> {
    return this.selectedRow.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-ref') ?? ''));
  }

  async markColours(): Promise<readonly string[]> {
    return this.rows
      .locator('svg > g > path[fill*="rgb("]')
      .evaluateAll((paths) => paths.map((path) => path.getAttribute('fill') ?? ''));
  }

  async received(): Promise<number> {
    return Number(await this.#page.getByTestId('filter-count').getAttribute('data-received'));
  }

  /** Without groups. */
  async listed(): Promise<number> {
    return Number(await this.table.getAttribute('aria-rowcount')) - (await this.table.locator('thead tr').count());
  }

  async sortsBy(column: RegExp): Promise<void> {
    await this.#page.getByRole('columnheader').getByRole('button', { name: column }).click();
  }

  /** An expired track is about to leave the table. */
  get firstReceived(): Locator {
    return this.rows.filter({ hasNotText: 'expired' }).first();
  }

  async selectsFirst(): Promise<string> {
    await this.firstReceived.click();
    return this.selectedReference();
  }

  async selectedReference(): Promise<string> {
    return (await this.#page.getByTestId('track-reference').getAttribute('title')) ?? '';
  }

  async field(label: string): Promise<string> {
    const row = this.card.locator('dl > div').filter({ has: this.#page.getByText(label, { exact: true }) });
    return (await row.locator('dd').first().textContent()) ?? '';
  }

  async place(): Promise<{ lat: number; lon: number }> {
    const [lat = Number.NaN, lon = Number.NaN] = (await this.field('Position')).split(', ').map(Number);
    return { lat, lon };
  }

  async secondsOld(): Promise<number> {
    const text = (await this.#page.getByTestId('track-age').textContent()) ?? '';
    return Number(/Received (\d+) s ago/.exec(text)?.[1] ?? Number.NaN);
  }

  async centres(): Promise<void> {
    await this.card.getByRole('button', { name: 'Centre' }).click();
  }

  async isClosed(): Promise<void> {
    await expect(this.card).toHaveCount(0);
  }
}
