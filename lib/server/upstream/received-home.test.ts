import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReceivedHome } from './receivers-reader.ts';
import { makeStatusSocket, type StatusSocket } from './status-socket.fixture.ts';

const FALLBACK = { lat: 46.9, lon: 8.2, zoom: 7 };
const VIEW = { lat: 51.5, lon: 0, zoom: 8.4 };

let socket: StatusSocket;
beforeEach(() => {
  socket = makeStatusSocket();
});
afterEach(() => socket.remove());

test('the map opens over what is received, and where it was while nothing is', async () => {
  const views: unknown[] = [null, VIEW, null, { lat: 91, lon: 0, zoom: 3 }];
  await socket.serve((_, response) => response.end(JSON.stringify({ feeds: [], view: views.shift() })));
  const home = new ReceivedHome(socket.path, FALLBACK);
  expect(await home.view()).toEqual(FALLBACK);
  expect(await home.view()).toEqual(VIEW);
  expect(await home.view()).toEqual(VIEW);
  expect(await home.view()).toEqual(VIEW);
});

test('a page opens also if the service is gone, says something else, or says nothing', async () => {
  expect(await new ReceivedHome(undefined, FALLBACK).view()).toEqual(FALLBACK);
  expect(await new ReceivedHome(socket.path, FALLBACK).view()).toEqual(FALLBACK);
  const answers: RequestListener[] = [
    (_, response) => response.end('<html>'),
    (_, response) => response.end(Buffer.alloc(2 * 1024 * 1024, ' ')),
    () => {},
  ];
  await socket.serve((request, response) => answers.shift()?.(request, response));
  const home = new ReceivedHome(socket.path, FALLBACK);
  for (const _ of [1, 2, 3]) expect(await home.view()).toEqual(FALLBACK);
});
