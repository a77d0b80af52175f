import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Trusted proxies are exempt, since they carry connections of others. */
export function limitPeers(server: Server, max: number, isTrusted: (address: string) => boolean): void {
  const connections = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    const count = (connections.get(peer) ?? 0) + 1;
    if (count > max && !isTrusted(peer)) {
      socket.destroy();
      return;
    }
    connections.set(peer, count);
    socket.once('close', () => {
      const left = (connections.get(peer) ?? 1) - 1;
      if (left === 0) connections.delete(peer);
      else connections.set(peer, left);
    });
  });
}
