import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EtagMismatch } from 'pmtiles';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PatientSource } from './patient-source.ts';

let server: Server;
let url: string;
let failures: (502 | 'cut')[];
let asked: (string | undefined)[];
beforeEach(async () => {
  [failures, asked] = [[], []];
  server = createServer((request, response) => {
    asked.push(request.headers.range);
    const failure = failures.shift();
    if (failure === 'cut') request.socket.destroy();
    else if (failure !== undefined) response.writeHead(failure).end('bad gateway');
    else response.writeHead(206, { etag: '"a"', 'content-range': 'bytes 8-10/100', 'content-length': 3 }).end('abc');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lookout.pmtiles`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('repeats failed reads until one succeeds', async () => {
  failures = [502, 'cut', 502];
  const { data, etag } = await new PatientSource(url, 5).getBytes(8, 3);
  expect([Buffer.from(data).toString(), etag]).toEqual(['abc', '"a"']);
  expect(asked).toEqual(Array(4).fill('bytes=8-10'));
});

test('stops its retries when the read is aborted', async () => {
  failures = Array(1000).fill(502);
  const wanted = new AbortController();
  const read = new PatientSource(url, 10_000).getBytes(8, 3, wanted.signal);
  await expect.poll(() => asked.length).toBe(1);
  wanted.abort(new Error('moved on'));
  await expect(read).rejects.toThrow('moved on');
  await expect(new PatientSource(url, 10_000).getBytes(8, 3, wanted.signal)).rejects.toThrow('moved on');
  expect(asked).toHaveLength(1);
});

test('reports a replaced archive to the caller', async () => {
  await expect(new PatientSource(url).getBytes(8, 3, undefined, '"b"')).rejects.toBeInstanceOf(EtagMismatch);
});
