import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { basemapStyle } from '#components/map/basemap/basemap-style.ts';
import { type LoopbackServer, serveOnLoopback } from './serve-on-loopback.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const FILES: Readonly<Record<string, string>> = {
  '/maplibre-gl.mjs': 'node_modules/maplibre-gl/dist/maplibre-gl.mjs',
  '/maplibre-gl-worker.mjs': 'node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs',
  '/maplibre-gl.css': 'node_modules/maplibre-gl/dist/maplibre-gl.css',
  '/pmtiles.mjs': 'node_modules/pmtiles/dist/esm/index.js',
  '/fflate.mjs': 'node_modules/fflate/esm/browser.js',
};
const TYPES: Readonly<Record<string, string>> = { mjs: 'text/javascript', js: 'text/javascript', css: 'text/css' };

const PAGE = `<!doctype html>
<link rel="stylesheet" href="/maplibre-gl.css">
<style>html, body, #map { height: 100%; margin: 0 }</style>
<div id="map"></div>
<script type="importmap">{ "imports": { "maplibre-gl": "/maplibre-gl.mjs", "pmtiles": "/pmtiles.mjs", "fflate": "/fflate.mjs" } }</script>
<script type="module">
  import { addProtocol, Map, setWorkerUrl } from 'maplibre-gl';
  import { Protocol } from 'pmtiles';
  setWorkerUrl(new URL('/maplibre-gl-worker.mjs', location.href).toString());
  addProtocol('pmtiles', new Protocol().tile);
  const [lat, lon, zoom] = location.hash.slice(1).split(',').map(Number);
  const map = new Map({ container: 'map', style: ${JSON.stringify(basemapStyle('dark'))}, center: [lon, lat], zoom });
  map.once('load', () => { window.mapLoadedMs = performance.now(); });
</script>`;

/** A page with MapLibre, the built-in map and nothing else, at the place of its hash; compressed at each request, as the app's is. */
export async function serveEmptyMap(): Promise<LoopbackServer> {
  return serveOnLoopback((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/';
  if (path === '/') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
    return;
  }
  const file = FILES[path] ?? (/^\/basemap\/[a-z0-9./_-]+$/i.test(path) && !path.includes('..') && `public${path}`);
  if (!file) {
    response.writeHead(404).end();
    return;
  }
  const { size } = await stat(join(root, file));
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  if (range) {
    const [start, end] = [Number(range[1]), Math.min(Number(range[2]), size - 1)];
    response.writeHead(206, {
      'content-range': `bytes ${start}-${end}/${size}`,
      'content-length': end - start + 1,
      etag: `"${size}"`,
    });
    await pipeline(createReadStream(join(root, file), { start, end }), response);
    return;
  }
  const type = TYPES[file.split('.').at(-1) ?? ''];
  response.writeHead(200, {
    'content-type': type ?? 'application/octet-stream',
    ...(type && { 'content-encoding': 'gzip' }),
  });
  const source = createReadStream(join(root, file));
  await (type ? pipeline(source, createGzip(), response) : pipeline(source, response));
}
