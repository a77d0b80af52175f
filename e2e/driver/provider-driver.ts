import { expect, type Page } from '@playwright/test';

export class ProviderDriver {
  readonly #page: Page;
  readonly #issuer: string;

  constructor(page: Page, issuer: string) {
    this.#page = page;
    this.#issuer = issuer;
  }

  async signsIn(login: string): Promise<void> {
    await this.#isHere();
    await this.#page.getByLabel('Login').fill(login);
    await this.#page.getByRole('button', { name: 'Continue' }).click();
  }

  async refuses(): Promise<void> {
    await this.#isHere();
    await this.#page.getByRole('button', { name: 'Refuse' }).click();
  }

  async #isHere(): Promise<void> {
    await this.#page.waitForURL((url) => url.origin === this.#issuer);
    await expect(this.#page.getByRole('button', { name: 'Continue' })).toBeVisible();
  }
}
