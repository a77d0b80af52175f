import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect } from '@playwright/test';
import { freePort } from '#testing/free-port.ts';
import { type DebianPackage, WEBKIT_BROWSER } from '../../scripts/setup/debian-packages.ts';
import { countStart } from '../../scripts/test/costs.ts';

/** Input sources of W3C WebDriver, the same in both protocols. */
export type InputSource =
  | { readonly type: 'key'; readonly id: string; readonly actions: readonly object[] }
  | {
      readonly type: 'pointer';
      readonly id: string;
      readonly parameters: { readonly pointerType: 'mouse' };
      readonly actions: readonly object[];
    };

/** A browser of another engine than Chromium, with one page. */
export interface RunningEngine {
  /** With its version. */
  readonly name: string;
  /** Resolves when the document is loaded. */
  open(url: string): Promise<void>;
  /** @param expression of a string, or of a promise of one */
  evaluate(expression: string): Promise<string>;
  perform(sources: readonly InputSource[]): Promise<void>;
  /** Of the page, CSS pixels. */
  resize(width: number, height: number): Promise<void>;
  /** PNG. */
  picture(): Promise<Buffer>;
  stop(): Promise<void>;
}

export const ENGINES = {
  WebKit: {
    start: () => countStart('browser', startWebKit),
    packages: ['webkit2gtk-driver', 'xvfb', 'libgl1-mesa-dri'],
  },
  Firefox: { start: () => countStart('browser', startFirefox), packages: ['firefox-esr', 'xvfb', 'libgl1-mesa-dri'] },
} as const satisfies Record<
  string,
  { readonly start: () => Promise<RunningEngine>; readonly packages: readonly DebianPackage[] }
>;

const SCREEN = '1600x1100x24';
const STOP_MS = 5000;

/** Safari's engine: GTK's MiniBrowser by WebDriver. @throws Error if a program is missing */
async function startWebKit(): Promise<RunningEngine> {
  const [browser] = globSync(WEBKIT_BROWSER);
  if (browser === undefined) throw new Error('there is no MiniBrowser: apt-get install webkit2gtk-driver');
  const programs = new Programs();
  try {
    const port = await freePort();
    programs.start('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], await programs.screen());
    const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        ...(body && { body: JSON.stringify(body) }),
      });
      const { value } = (await answer.json()) as { value: unknown };
      if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
      return value;
    };
    await expect(() => call('GET', '/status')).toPass();
    const asked = { alwaysMatch: { 'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] } } };
    const { sessionId, capabilities } = (await call('POST', '/session', { capabilities: asked })) as {
      sessionId: string;
      capabilities: { browserVersion: string };
    };
    const post = (command: string, body: object) => call('POST', `/session/${sessionId}/${command}`, body);
    const evaluate = async (expression: string) =>
      String(await post('execute/sync', { script: `return ${expression}`, args: [] }));
    return {
      name: `WebKitGTK ${capabilities.browserVersion}`,
      evaluate,
      async open(url) {
        await post('url', { url });
      },
      async perform(actions) {
        await post('actions', { actions });
      },
      async resize(width, height) {
        await post('window/rect', { width, height });
        const [inner = 0, innerHeight = 0] = JSON.parse(await evaluate('JSON.stringify([innerWidth, innerHeight])'));
        await post('window/rect', { width: 2 * width - inner, height: 2 * height - innerHeight });
      },
      picture: async () => Buffer.from(String(await call('GET', `/session/${sessionId}/screenshot`)), 'base64'),
      async stop() {
        await call('DELETE', `/session/${sessionId}`).catch(() => undefined);
        await programs.stop();
      },
    };
  } catch (error) {
    await programs.stop();
    throw error;
  }
}

/** Firefox by WebDriver BiDi. Its WebGL needs a display, also headless. @throws Error if it is missing */
async function startFirefox(): Promise<RunningEngine> {
  const programs = new Programs();
  const preferences = {
    // No request leaves this machine.
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
    'network.dns.disablePrefetch': true,
    'services.settings.server': 'data:,',
  };
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  writeFileSync(join(programs.home, 'user.js'), lines.join('\n'));
  try {
    const options = ['--headless', '--no-remote', '--profile', programs.home, '--remote-debugging-port', '0'];
    const firefox = programs.start('firefox-esr', options, await programs.screen());
    const call = await bidiAt(await firstLine(firefox, 2, /^WebDriver BiDi listening on (\S+)/));
    const { capabilities } = (await call('session.new', { capabilities: {} })) as {
      capabilities: { browserVersion: string };
    };
    // In the first window the address bar keeps the focus.
    const { context } = (await call('browsingContext.create', { type: 'window' })) as { context: string };
    return {
      name: `Firefox ${capabilities.browserVersion}`,
      async open(url) {
        await call('browsingContext.navigate', { context, url, wait: 'complete' });
      },
      async evaluate(expression) {
        const answer = (await call('script.evaluate', { expression, target: { context }, awaitPromise: true })) as {
          result?: { value: string };
          exceptionDetails?: { text: string };
        };
        if (answer.result === undefined) throw new Error(answer.exceptionDetails?.text);
        return answer.result.value;
      },
      async perform(actions) {
        await call('input.performActions', { context, actions });
      },
      async resize(width, height) {
        await call('browsingContext.setViewport', { context, viewport: { width, height } });
      },
      async picture() {
        const { data } = (await call('browsingContext.captureScreenshot', { context })) as { data: string };
        return Buffer.from(data, 'base64');
      },
      async stop() {
        await call('browser.close', {}).catch(() => undefined);
        await programs.stop();
      },
    };
  } catch (error) {
    await programs.stop();
    throw error;
  }
}

type BidiCall = (method: string, params: object) => Promise<unknown>;

async function bidiAt(address: string): Promise<BidiCall> {
  const socket = new WebSocket(`${address}/session`);
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, type, result, error, message } = JSON.parse(String(data));
    if (type === 'success') waiting.get(id)?.resolve(result);
    else if (type === 'error') waiting.get(id)?.reject(new Error(`${error}: ${message}`));
    waiting.delete(id);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser has ended'));
  });
  let count = 0;
  return (method, params) => {
    const answer = Promise.withResolvers<unknown>();
    waiting.set(++count, answer);
    socket.send(JSON.stringify({ id: count, method, params }));
    return answer.promise;
  };
}

/** Programs with a home of their own. All processes of each end with it. */
class Programs {
  readonly home = mkdtempSync(join(tmpdir(), 'lookout-engine-'));
  readonly #started: ChildProcess[] = [];
  readonly #kill = () => {
    for (const { pid } of this.#started) signal(pid, 'SIGKILL');
  };

  constructor() {
    process.once('exit', this.#kill);
  }

  /** @returns the environment of programs that draw on it */
  async screen(): Promise<{ readonly DISPLAY: string }> {
    const screen = this.start('Xvfb', ['-displayfd', '3', '-screen', '0', SCREEN, '-nolisten', 'tcp']);
    return { DISPLAY: `:${await firstLine(screen, 3, /^(\d+)$/)}` };
  }

  start(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
    const child: ChildProcess = spawn(program, args, {
      // A group: browsers start processes that would outlive them.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: {
        NODE_ENV: 'test',
        PATH: process.env.PATH,
        HOME: this.home,
        XDG_RUNTIME_DIR: this.home,
        LIBGL_ALWAYS_SOFTWARE: '1',
        NO_AT_BRIDGE: '1',
        // In a container, its sandbox cannot start.
        WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
        ...environment,
      },
    });
    child.once('error', () => undefined);
    this.#started.unshift(child);
    return child;
  }

  async stop(): Promise<void> {
    for (const { pid, exitCode, signalCode } of this.#started)
      if (exitCode === null && !signalCode) signal(pid, 'SIGTERM');
    await Promise.race([
      Promise.all(this.#started.map(ended)),
      new Promise((resolve) => setTimeout(resolve, STOP_MS).unref()),
    ]);
    this.#kill();
    process.off('exit', this.#kill);
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** To the group. It may have ended. */
function signal(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // No process of it is left.
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Of the first line that matches, its group. @throws Error with its output if the program ends without one */
function firstLine(child: ChildProcess, descriptor: 2 | 3, form: RegExp): Promise<string> {
  const seen: string[] = [];
  return new Promise((resolve, reject) => {
    // Lines are read to the end: a full pipe would block the program.
    createInterface({ input: child.stdio[descriptor] as Readable }).on('line', (line) => {
      const found = form.exec(line)?.[1];
      if (found !== undefined) resolve(found);
      else seen.push(line);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${child.spawnfile} ended with ${code}: ${seen.join('\n')}`)));
  });
}
