import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { basemapStyle } from '#components/map/basemap/basemap-style.ts';
import { ROOT } from '../../e2e/running/child-process.ts';

/** Compressed at each request, like the app's files. */
const FILES: Readonly<Record<string, string>> = {
  '/maplibre-gl.css': 'maplibre-gl/dist/maplibre-gl.css',
  '/maplibre-gl.mjs': 'maplibre-gl/dist/maplibre-gl.mjs',
  '/maplibre-gl-worker.mjs': 'maplibre-gl/dist/maplibre-gl-worker.mjs',
  '/pmtiles.mjs': 'pmtiles/dist/esm/index.js',
  '/fflate.mjs': 'fflate/esm/browser.js',
};

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

export async function serveBareMap(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/';
  const file = FILES[path];
  if (path === '/') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
  } else if (file !== undefined) {
    const type = file.endsWith('.css') ? 'text/css' : 'text/javascript';
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' });
    await pipeline(createReadStream(join(ROOT, 'node_modules', file)), createGzip(), response);
  } else if (/^\/basemap\/[a-z0-9/_-]+(\.[a-z0-9]+)?$/i.test(path)) {
    await answerBasemap(join(ROOT, 'public', path), request.headers.range, response);
  } else response.writeHead(404).end();
}

async function answerBasemap(file: string, wanted: string | undefined, response: ServerResponse): Promise<void> {
  const { size } = await stat(file);
  const range = /^bytes=(\d+)-(\d+)$/.exec(wanted ?? '');
  const [start, end] = range ? [Number(range[1]), Math.min(Number(range[2]), size - 1)] : [0, size - 1];
  response.writeHead(range ? 206 : 200, {
    ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }),
    'content-length': end - start + 1,
    etag: `"${size}"`,
  });
  await pipeline(createReadStream(file, { start, end }), response);
}
