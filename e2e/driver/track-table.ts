import type { Locator, Page } from '@playwright/test';

/** The head of the table of tracks, its options and its groups. */
export class TrackTable {
  readonly #page: Page;
  /** Filters of the table that do not affect the map. */
  readonly only: Locator;
  readonly headings: Locator;
  /** The numbers of the columns that it is sorted by. */
  readonly sortPlaces: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.only = page.getByTestId('table-only');
    this.headings = page.locator('tr[data-group]');
    this.sortPlaces = page.getByTestId('sort-place');
  }

  async opensOptions(): Promise<void> {
    await this.#page.getByRole('button', { name: 'Columns, sorting and rows' }).click();
  }

  columnBox(name: string): Locator {
    return this.#page.getByRole('checkbox', { name, exact: true });
  }

  header(name: RegExp): Locator {
    return this.#page.getByRole('columnheader').getByRole('button', { name });
  }

  /** The short names of the columns in their order. */
  async headers(): Promise<string[]> {
    const titles = await this.#page.getByRole('columnheader').locator('button > span:first-child').allTextContents();
    return titles.map((title) => (title === '' || title === '↕' ? 'Kind' : title));
  }

  /** The texts of a column, from the first row on. */
  async column(header: string): Promise<string[]> {
    const cell = (await this.headers()).indexOf(header) + 1;
    return this.#page.locator(`tr[data-ref] > td:nth-child(${cell})`).allInnerTexts();
  }

  /** Types into the field below a header. */
  async filters(column: RegExp, text: string): Promise<void> {
    const field = this.#page.locator('thead').getByRole('textbox', { name: column });
    await field.fill(text);
    await field.press('Enter');
  }

  /** The grid's active row. */
  async active(): Promise<'heading' | 'track' | undefined> {
    const id = await this.#page.getByRole('grid').getAttribute('aria-activedescendant');
    if (id === null) return undefined;
    const group = await this.#page.locator(`[id="${id}"]`).getAttribute('data-group');
    return group === null ? 'track' : 'heading';
  }

  /** Headers whose visible contents end less than 4 px before those of the next begin, or beyond their own cell. */
  async touchingHeaders(): Promise<string[]> {
    return this.#page.locator('thead tr:first-child > th').evaluateAll((cells) => {
      const extents = cells.map((cell) => {
        const seen = [...cell.querySelectorAll('button > [aria-hidden]')].map((part) => part.getBoundingClientRect());
        const left = Math.min(...seen.map((part) => part.left));
        const right = Math.max(...seen.map((part) => part.right));
        const own = cell.getBoundingClientRect();
        return { name: cell.textContent, left, right, isOver: left < own.left - 0.5 || right > own.right + 0.5 };
      });
      return extents
        .filter(({ right, isOver }, at) => isOver || (extents[at + 1]?.left ?? Number.POSITIVE_INFINITY) - right < 4)
        .map(({ name }) => name);
    });
  }

  /** Where a header and the first cell below it are on the screen. */
  async offsets(header: string): Promise<{ header: number; cell: number }> {
    const at = (await this.headers()).indexOf(header) + 1;
    const left = async (cell: string) => (await this.#page.locator(cell).first().boundingBox())?.x ?? Number.NaN;
    return {
      header: await left(`thead tr:first-child > th:nth-child(${at})`),
      cell: await left(`tr[data-ref] > td:nth-child(${at})`),
    };
  }

  async scrollsSideways(byPx: number): Promise<void> {
    await this.#page.getByRole('grid').evaluate((grid, px) => grid.parentElement?.scrollBy(px, 0), byPx);
  }
}
