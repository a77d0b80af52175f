import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LoopbackServer, serveOnLoopback } from './serve-on-loopback.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modulePath = /^\/(lib|components|bench)\/[a-z0-9/-]+\.ts$/;

/**
 * Serves this repository's modules to a browser as they run in Node: types stripped, nothing bundled. `/` is an empty
 * page that resolves `#lib/` and `#components/`. It is cross-origin isolated, because only such a page has clocks finer than 100 µs.
 */
export async function serveModules(): Promise<LoopbackServer> {
  const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports: { '#lib/': '/lib/', '#components/': '/components/' } })}</script>`;
  const bodyOf = async (path: string): Promise<{ type: string; body: string } | undefined> => {
    if (path === '/') return { type: 'text/html', body: page };
    if (!modulePath.test(path)) return undefined;
    return { type: 'text/javascript', body: stripTypeScriptTypes(await readFile(join(root, path), 'utf8')) };
  };
  return serveOnLoopback((request, response) => {
    bodyOf(request.url ?? '').then(
      (found) => {
        response.writeHead(found ? 200 : 404, {
          'content-type': `${found?.type ?? 'text/plain'}; charset=utf-8`,
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-embedder-policy': 'require-corp',
        });
        response.end(found?.body);
      },
      () => response.writeHead(404).end(),
    );
  });
}
