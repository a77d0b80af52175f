import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '#testing/free-port.ts';
import { runQuietly } from '../scripts/setup/run-quietly.ts';

const modules = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');

const files: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module","private":true}',
  // node_modules is a symlink, which Turbopack follows only within its root.
  'next.config.mjs': "export default { poweredByHeader: false, turbopack: { root: '/' } };",
  'app/layout.js': 'export default function Layout({ children }) { return <html><body>{children}</body></html>; }',
  'app/page.js': 'export default function Page() { return null; }',
  'app/api/constant/route.js': `
    const body = new Uint8Array(Number(process.env.BODY_BYTES));
    for (let at = 0; at < body.length; at++) body[at] = Math.random() * 256;
    export const dynamic = 'force-dynamic';
    export async function GET() {
      return new Response(body, { headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' } });
    }`,
  'server.mjs': `
    import { createServer } from 'node:http';
    import next from 'next';
    const app = next({ dev: false, dir: import.meta.dirname, hostname: '127.0.0.1', port: Number(process.env.PORT) });
    await app.prepare();
    const handle = app.getRequestHandler();
    createServer((request, response) => void handle(request, response))
      .listen(Number(process.env.PORT), '127.0.0.1', () => process.send('ready'));
    process.once('disconnect', () => process.exit(0));`,
};

export interface BareNextApp {
  /** Every GET returns the same bytes. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a Next app with one route handler that returns a constant, to measure the cost of Next alone. */
export async function startBareNextApp(bodyBytes: number): Promise<BareNextApp> {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-bare-'));
  symlinkSync(modules, join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  try {
    await runQuietly(folder, 'Building the bare app', [join(modules, 'next/dist/bin/next'), 'build']);
    return await serve(folder, bodyBytes);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

async function serve(folder: string, bodyBytes: number): Promise<BareNextApp> {
  const port = await freePort();
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production', PORT: String(port), BODY_BYTES: String(bodyBytes) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the bare app exited with ${code}`))),
  ]);
  return {
    url: `http://127.0.0.1:${port}/api/constant`,
    async stop() {
      await ended(child);
      rmSync(folder, { recursive: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
