import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type OutgoingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, createBrotliDecompress, createGunzip, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtFiles } from './built-files.ts';

const script = `export const words = '${'received '.repeat(400)}';`;
let folder: string;
let server: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-built-'));
  mkdirSync(join(folder, 'static/chunks'), { recursive: true });
  for (const name of ['static/chunks/page.js', 'static/gone.js', 'static/other.bin', 'outside.js']) {
    writeFileSync(join(folder, name), script);
    writeFileSync(join(folder, `${name}.gz`), gzipSync(script));
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(script));
  }
  writeFileSync(join(folder, 'static/plain.js'), script);
  const answerFile = builtFiles(join(folder, 'static'));
  server = createServer((asked, response) => {
    if (!answerFile(asked, response)) response.end('from Next');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function ask(
  path: string,
  headers: OutgoingHttpHeaders = { 'accept-encoding': 'gzip, deflate' },
  method = 'GET',
) {
  const { port } = server.address() as AddressInfo;
  const [answer] = await once(request({ port, path, method, headers, agent: false }).end(), 'response');
  const coding = method === 'GET' ? answer.headers['content-encoding'] : undefined;
  const opened = coding === 'gzip' ? createGunzip() : coding === 'br' ? createBrotliDecompress() : undefined;
  return { headers: answer.headers, body: await text(opened ? answer.pipe(opened) : answer) };
}

test('sends a built file in its compressed form, and browsers keep it for good', async () => {
  for (let time = 0; time < 2; time++) {
    const { headers, body } = await ask('/_next/static/chunks/page.js');
    expect(body).toBe(script);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(gzipSync(script).byteLength),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
  }
  const { headers, body } = await ask('/_next/static/chunks/page.js', { 'accept-encoding': 'gzip' }, 'HEAD');
  expect(headers['content-length']).toBe(String(gzipSync(script).byteLength));
  expect(body).toBe('');
});

test('sends the smaller form to a browser that reads it', async () => {
  const { headers, body } = await ask('/_next/static/chunks/page.js', { 'accept-encoding': 'gzip, deflate, br' });
  expect(body).toBe(script);
  expect(headers).toMatchObject({
    'content-encoding': 'br',
    'content-length': String(brotliCompressSync(script).byteLength),
    vary: 'Accept-Encoding',
  });
});

describe('Next answers', () => {
  test.each([
    '/_next/static/chunks/page.js?v=1',
    '/_next/static/chunks/PAGE.js',
    '/_next/static/plain.js',
    '/_next/static/other.bin',
    '/_next/static/../outside.js',
    '/_next/static/%2e%2e/outside.js',
    '/_next/static/chunks/page.js.gz',
    '/_next/static/chunks',
    '/_next/static/__proto__',
    '/chunks/page.js',
    '/',
  ])('%s', async (path) => {
    expect((await ask(path)).body).toBe('from Next');
  });

  test.each([
    {},
    { 'accept-encoding': 'deflate' },
    { 'accept-encoding': 'gzip;q=0, br;q=0' },
    { 'accept-encoding': 'GZIP ; Q=0.00' },
    { 'accept-encoding': 'gzip', range: 'bytes=0-9' },
  ])('a client that sends %j', async (headers) => {
    expect((await ask('/_next/static/chunks/page.js', headers)).body).toBe('from Next');
  });

  test('other methods', async () => {
    expect((await ask('/_next/static/chunks/page.js', { 'accept-encoding': 'gzip' }, 'POST')).body).toBe('from Next');
  });

  test('for what another build has taken away', async () => {
    rmSync(join(folder, 'static/gone.js.gz'));
    expect((await ask('/_next/static/gone.js')).body).toBe('from Next');
  });
});
