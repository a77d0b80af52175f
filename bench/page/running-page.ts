import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium } from '@playwright/test';
import { startService } from '#service/server/start-service.ts';
import type { Source } from '#service/sources/observation.ts';
import { startApp } from '../../e2e/running/running-app.ts';
import { BROWSER_FLAGS, findChromium } from '../../scripts/setup/find-chromium.ts';
import { built } from '../built.ts';
import { AMPLE } from './moving-grid.ts';

export type RunningApp = Awaited<ReturnType<typeof startInBrowser>>;

export async function startInBrowser(source: Source) {
  await built();
  const folder = mkdtempSync(join(tmpdir(), 'lookout-bench-'));
  const endings: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true })];
  const close = async () => {
    for (const end of endings.reverse().splice(0)) await end();
  };
  try {
    const service = await startService({ source, allowance: AMPLE });
    endings.push(() => service.close(0));
    const upstream = { POSITIONS_API_URL: service.baseUrl, POSITIONS_API_KEY: service.apiKey };
    const app = await startApp({ ...upstream, POSITIONS_EMBEDDED: '1', DATA_DIR: folder });
    endings.push(() => app.stop());
    const executablePath = await findChromium((text) => process.stderr.write(`${text}\n`));
    const browser = await chromium.launch({ args: BROWSER_FLAGS, ...(executablePath && { executablePath }) });
    endings.push(() => browser.close());
    return { url: app.url, browser, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export async function openPage(browser: Browser, preferences: object, options: BrowserContextOptions = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  await page.addInitScript((text) => {
    sessionStorage.setItem('lookout.measure', '1');
    localStorage.setItem('lookout.preferences', text);
  }, JSON.stringify(preferences));
  return page;
}
