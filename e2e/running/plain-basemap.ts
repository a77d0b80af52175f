import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const style = { version: 8, sources: {}, layers: [] };

/** A third of the work for a browser without a graphics card. */
export async function servePlainBasemap(): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(style));
  });
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/plain.json`;
}
