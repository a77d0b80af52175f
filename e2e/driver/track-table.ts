import type { Locator, Page } from '@playwright/test';

export class TrackTable {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
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

  async headers(): Promise<string[]> {
    const titles = await this.#page.getByRole('columnheader').locator('button > span:first-child').allTextContents();
    return titles.map((title) => (title === '' || title === '↕' ? 'Kind' : title));
  }

  /** Contents end less than 4 px before those of the next begin, or beyond their cell. */
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

  /** Left edges in px of a column's header and of its cell in the first row, of one moment: rows come and go between two reads. */
  async offsets(header: string): Promise<{ header: number; cell: number }> {
    const at = (await this.headers()).indexOf(header) + 1;
    return this.#page.getByRole('grid').evaluate((grid, at) => {
      const left = (cell: string) => grid.querySelector(cell)?.getBoundingClientRect().left ?? Number.NaN;
      return {
        header: left(`thead tr:first-child > th:nth-child(${at})`),
        cell: left(`tr[data-ref] > td:nth-child(${at})`),
      };
    }, at);
  }

  async scrollsSideways(byPx: number): Promise<void> {
    await this.#page.getByRole('grid').evaluate((grid, px) => grid.parentElement?.scrollBy(px, 0), byPx);
  }
}
