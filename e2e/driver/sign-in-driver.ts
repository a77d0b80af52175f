import { expect, type Locator, type Page } from '@playwright/test';
import { LookoutDriver } from './lookout-driver.ts';

export class SignInDriver {
  readonly page: Page;
  readonly #url: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
  }

  async opens(path: string): Promise<void> {
    await this.page.goto(`${this.#url}${path}`, { waitUntil: 'domcontentloaded' });
  }

  async seesForm(): Promise<void> {
    await expect(this.page.getByRole('heading', { name: 'Sign in to see received positions.' })).toBeVisible();
    expect(new URL(this.page.url()).pathname).toBe('/sign-in');
  }

  async submits({ name, password }: { readonly name: string; readonly password: string }): Promise<void> {
    await this.page.getByLabel('Name').fill(name);
    await this.page.getByLabel('Password').fill(password);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
  }

  get refusal(): Locator {
    return this.page.locator('form').getByRole('alert');
  }

  async signsOut(name: string): Promise<void> {
    await this.page.getByRole('button', { name: `Account of ${name}` }).click();
    await this.page.getByRole('menuitem', { name: 'Sign out' }).click();
  }

  asOperator(): LookoutDriver {
    return new LookoutDriver(this.page, this.#url);
  }
}
