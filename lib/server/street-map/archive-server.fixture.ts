import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ArchiveServer {
  readonly url: URL;
  /** The range `first-last` of each request. */
  readonly ranges: string[];
  readonly paths: string[];
  /** The only path that there is; default: any. */
  only: string | undefined;
  archive: Buffer;
  behaviour: 'ranges' | 'whole file' | 'missing' | 'cuts tiles' | 'replaces' | 'wrong bytes' | 'fails once' | 'hangs';
  close(): Promise<void>;
}

/** Answers ranges as in RFC 9110, or as `behaviour` says. */
export async function serveArchive(archive: Buffer): Promise<ArchiveServer> {
  let failed = 0;
  const server = createServer((request, response) => {
    const { archive: file, behaviour } = held;
    const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const [first, last] = [Number(from), Math.min(Number(to), file.byteLength - 1)];
    held.paths.push(request.url ?? '');
    if (behaviour === 'missing' || (held.only !== undefined && held.only !== request.url))
      return void response.writeHead(404).end();
    if (behaviour === 'whole file' || from === '') return void response.writeHead(200).end(file);
    held.ranges.push(`${first}-${last}`);
    if (first >= file.byteLength) return void response.writeHead(416).end();
    if (behaviour === 'fails once' && failed++ === 0) return void response.writeHead(503).end();
    const isTiles = held.ranges.length > 3;
    if (behaviour === 'hangs' && isTiles) return;
    const shift = behaviour === 'wrong bytes' && isTiles ? 1 : 0;
    response.writeHead(206, {
      'content-range': `bytes ${first + shift}-${last + shift}/${file.byteLength}`,
      'content-length': last - first + 1,
      etag: behaviour === 'replaces' && isTiles ? '"later"' : '"first"',
    });
    if (behaviour === 'cuts tiles' && isTiles) {
      response.write(file.subarray(first, first + 1), () => response.destroy());
      return;
    }
    response.end(file.subarray(first, last + 1));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const held: ArchiveServer = {
    url: new URL(`http://127.0.0.1:${port}/world.pmtiles`),
    ranges: [],
    paths: [],
    only: undefined,
    archive,
    behaviour: 'ranges',
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return held;
}
