import type { Locator, Page } from '@playwright/test';

/** What an operator does to hand on what they see. */
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

  /** Makes this browser refuse to copy, as browsers do that are asked by a page without TLS. */
  async forbidCopying(): Promise<void> {
    await this.#page.evaluate(() =>
      Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined }),
    );
  }

  clipboardText(): Promise<string> {
    return this.#page.evaluate(() => navigator.clipboard.readText());
  }

  /** What is selected in the field of the link, and so would be copied by hand. */
  selectedText(): Promise<string> {
    return this.link.evaluate((field: HTMLInputElement) =>
      document.activeElement === field ? field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0) : '',
    );
  }
}
