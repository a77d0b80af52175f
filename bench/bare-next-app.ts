import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '#testing/free-port.ts';
import { ROOT, startChild } from '../e2e/running/child-process.ts';
import { runQuietly } from '../scripts/setup/run-quietly.ts';

const MODULES = join(ROOT, 'node_modules');

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module","private":true}',
  // node_modules is a symlink, and Turbopack stays within its root.
  'next.config.mjs': "export default { poweredByHeader: false, turbopack: { root: '/' } };",
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

export async function startBareNextApp(bodyBytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-bare-'));
  try {
    symlinkSync(MODULES, join(folder, 'node_modules'));
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    await runQuietly(folder, 'Building the bare app', [join(MODULES, 'next/dist/bin/next'), 'build']);
    const port = await freePort();
    const settings = { PORT: String(port), BODY_BYTES: String(bodyBytes) };
    const app = startChild([join(folder, 'server.mjs')], settings, ['ignore', 'ignore', 'pipe', 'ipc']);
    const ended = app.exited.then((code) => Promise.reject(new Error(`it ended with ${code}: ${app.stderr()}`)));
    await Promise.race([once(app.process, 'message'), ended]);
    ended.catch(() => undefined);
    const stop = async () => {
      await app.stop();
      rmSync(folder, { recursive: true });
    };
    return { url: `http://127.0.0.1:${port}/api/constant`, stop };
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}
