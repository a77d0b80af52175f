import { type Browser, chromium, type Page } from '@playwright/test';
import config from '../../playwright.config.ts';

/** The browser of all tests, with further flags. */
export function startFlaggedBrowser(flags: readonly string[]): Promise<Browser> {
  const { launchOptions } = config.use ?? {};
  return chromium.launch({ ...launchOptions, args: [...(launchOptions?.args ?? []), ...flags] });
}

export async function newPage(browser: Browser): Promise<Page> {
  const { viewport = null, colorScheme = null, contextOptions } = config.use ?? {};
  const page = await browser.newPage({ ...contextOptions, viewport, colorScheme });
  page.setDefaultTimeout(60_000);
  return page;
}
