import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PassedAnswer {
  readonly pathname: string;
  readonly body: Buffer;
}

export interface ListeningProxy {
  readonly url: string;
  /** In order of completion. */
  answers(pathname: string): readonly PassedAnswer[];
  stop(): void;
  /** After `stop`, at the same address. */
  restart(): Promise<void>;
}

/** Browser tooling can't read answers streamed to a worker. */
export async function startListeningProxy(to: string): Promise<ListeningProxy> {
  const passed: PassedAnswer[] = [];
  const server = createServer((incoming, outgoing) => {
    const target = new URL(incoming.url ?? '/', to);
    const forwarded = request(target, { method: incoming.method, headers: incoming.headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => passed.push({ pathname: target.pathname, body: Buffer.concat(chunks) }));
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answers: (pathname) => passed.filter((answer) => answer.pathname === pathname),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
    async restart() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
