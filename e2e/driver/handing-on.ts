import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import { DecodedPicture } from './decoded-picture.ts';

export class HandingOn {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get shareDialog(): Locator {
    return this.#page.getByRole('dialog', { name: 'Share' });
  }

  get link(): Locator {
    return this.shareDialog.getByRole('textbox', { name: 'Link' });
  }

  get outcome(): Locator {
    return this.shareDialog.getByTestId('share-outcome');
  }

  /** As on a page without TLS. */
  async forbidCopying(): Promise<void> {
    await this.#page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined });
      document.execCommand = () => false;
    });
  }

  /** Headless browsers have no share sheet. */
  async hasShareSheet(): Promise<void> {
    await this.#page.evaluate(() =>
      Object.defineProperty(navigator, 'share', {
        configurable: true,
        value: async ({ url }: ShareData) => Reflect.set(window, 'sentLink', url),
      }),
    );
  }

  sentLink(): Promise<unknown> {
    return this.#page.evaluate(() => Reflect.get(window, 'sentLink'));
  }

  clipboardText(): Promise<string> {
    return this.#page.evaluate(() => navigator.clipboard.readText());
  }

  selectedText(): Promise<string> {
    return this.link.evaluate((field: HTMLInputElement) =>
      document.activeElement === field ? field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0) : '',
    );
  }

  async opensViews(): Promise<void> {
    await this.#page.getByRole('tab', { name: 'View' }).click();
    await expect(this.views).toBeVisible();
  }

  get views(): Locator {
    return this.#page.getByRole('region', { name: 'Saved views' });
  }

  get done(): Locator {
    return this.views.getByTestId('views-done');
  }

  get rows(): Locator {
    return this.views.getByRole('listitem');
  }

  /** Without one that is renamed or about to be deleted. */
  async viewNames(): Promise<readonly string[]> {
    const names = await this.views.getByRole('button', { name: /^More for / }).all();
    return Promise.all(
      names.map(async (more) => ((await more.getAttribute('aria-label')) ?? '').slice('More for '.length)),
    );
  }

  async savesView(name: string): Promise<void> {
    await this.views.getByRole('textbox', { name: 'Name of this view' }).focus();
    await this.#page.keyboard.type(name);
    await this.#page.keyboard.press('Enter');
    await expect(this.done).toHaveText(`Saved “${name}”.`);
  }

  async opensView(name: string): Promise<void> {
    await this.rows.filter({ hasText: name }).getByRole('button').first().click();
  }

  async chooses(name: string, item: string): Promise<void> {
    await this.views.getByRole('button', { name: `More for ${name}` }).click();
    await this.#page.getByRole('menuitem', { name: item }).click();
  }

  async savesPicture(): Promise<{ readonly fileName: string; readonly picture: DecodedPicture }> {
    const [file] = await Promise.all([
      this.#page.waitForEvent('download'),
      this.shareDialog.getByRole('button', { name: 'Save picture' }).click(),
    ]);
    const bytes = await readFile(await file.path());
    return { fileName: file.suggestedFilename(), picture: await DecodedPicture.of(this.#page, bytes) };
  }

  /** The code comes with the Share dialog, or a few seconds after the page. */
  async canPrint(): Promise<void> {
    const sheets = async () => {
      await this.previewsPrint();
      const count = await this.printSheet.count();
      await this.leavesPreview();
      return count;
    };
    await expect.poll(sheets, 'the sheet that is printed').toBe(1);
    await expect(this.printSheet).toHaveCount(0);
  }

  /** @returns the number of sheets */
  async printsSheets(landscape: boolean): Promise<number> {
    const file = await this.#page.pdf({ format: 'A4', landscape });
    return file.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  }

  async previewsPrint(): Promise<void> {
    await this.#page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    await this.#page.emulateMedia({ media: 'print' });
  }

  async leavesPreview(): Promise<void> {
    await this.#page.emulateMedia({ media: null });
    await this.#page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  }

  get printSheet(): Locator {
    return this.#page.getByTestId('print-sheet');
  }

  async printedColourAt(x: number, y: number): Promise<string> {
    return this.printSheet.locator('canvas').evaluate(
      (canvas: HTMLCanvasElement, at) => {
        const [red, green, blue] = canvas.getContext('2d')?.getImageData(at.x, at.y, 1, 1).data ?? [];
        return `rgb(${red}, ${green}, ${blue})`;
      },
      { x, y },
    );
  }

  get pictureOutcome(): Locator {
    return this.shareDialog.getByTestId('picture-outcome');
  }
}
