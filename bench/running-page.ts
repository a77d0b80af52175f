import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from '@playwright/test';
import { startService } from '#service/server/start-service.ts';
import type { Source } from '#service/sources/observation.ts';
import { freePort } from '#testing/free-port.ts';
import { BROWSER_FLAGS, findChromium } from '../scripts/setup/find-chromium.ts';
import { prepareBasemap, prepareBuild } from '../scripts/setup/prepare.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export interface RunningPage {
  readonly page: Page;
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the built app with a service that serves the source, and opens a page in the browser that the tests use. */
export async function openPage(source: Source, deviceScaleFactor = 1): Promise<RunningPage> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  await prepareBasemap(root, say);
  await prepareBuild(root, say);
  const executablePath = await findChromium(say);
  const service = await startService({ source, allowance: { perMinute: 100_000, perDay: 10_000_000 } });
  const port = await freePort();
  const app = spawn(process.execPath, [join(root, 'scripts/app-server.ts')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      POSITIONS_API_URL: service.baseUrl,
      POSITIONS_API_KEY: service.apiKey,
      POSITIONS_EMBEDDED: '1',
    },
  });
  let browser: Browser | undefined;
  const close = async () => {
    await browser?.close();
    await ended(app);
    await service.close(0);
  };
  try {
    await once(app, 'message');
    browser = await chromium.launch({
      args: BROWSER_FLAGS,
      ...(executablePath === undefined ? {} : { executablePath }),
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor });
    return { page, url: `http://127.0.0.1:${port}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
