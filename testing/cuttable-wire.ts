import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const HOST = '127.0.0.1';

/** A way to a server that can be cut: what is written goes nowhere, and nobody is told, as when a network fails. */
export async function startCuttableWire(port: number) {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect({ host: HOST, port });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('data', (bytes) => void (isCut || to.write(bytes)));
      from.on('error', () => undefined);
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  }).listen(0, HOST);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
    },
    /** Connections that were cut do not come back; new ones work. */
    heal() {
      isCut = false;
      for (const socket of open) socket.destroy();
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
