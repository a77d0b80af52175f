import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReceivedHome } from './received-home.ts';

const FALLBACK = { lat: 46.9, lon: 8.2, zoom: 7 };
const VIEW = { lat: 51.5, lon: 0, zoom: 8.4 };

let folder: string;
let close: () => Promise<void> = async () => {};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'received-home-test-'));
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

async function serve(answer: RequestListener): Promise<string> {
  const socket = join(folder, 'status.sock');
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return socket;
}

test('the map opens over what is received, and where it was while nothing is', async () => {
  const views: unknown[] = [null, VIEW, null, { lat: 91, lon: 0, zoom: 3 }];
  const home = new ReceivedHome(
    await serve((_, response) => response.end(JSON.stringify({ feeds: [], view: views.shift() }))),
    FALLBACK,
  );
  expect(await home.view()).toEqual(FALLBACK);
  expect(await home.view()).toEqual(VIEW);
  expect(await home.view()).toEqual(VIEW);
  expect(await home.view()).toEqual(VIEW);
});

test('a page opens also if the service is gone, says something else, or says nothing', async () => {
  expect(await new ReceivedHome(undefined, FALLBACK).view()).toEqual(FALLBACK);
  expect(await new ReceivedHome(join(folder, 'none'), FALLBACK).view()).toEqual(FALLBACK);
  const answers: RequestListener[] = [
    (_, response) => response.end('<html>'),
    (_, response) => response.end(Buffer.alloc(2 * 1024 * 1024, ' ')),
    () => {},
  ];
  const home = new ReceivedHome(await serve((request, response) => answers.shift()?.(request, response)), FALLBACK);
  for (const _ of [1, 2, 3]) expect(await home.view()).toEqual(FALLBACK);
});
