// Limits of connections: their number from one peer, the wait for a client that does not read, and for a body.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
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

const STALL_STEPS = 3;

/** Ends the connection of a client that takes nothing of its answer, after `afterMs` plus one step at most. */
export function cutStalledReader(response: ServerResponse, afterMs: number): void {
  const stepMs = afterMs / STALL_STEPS;
  let steps = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  response.setTimeout(stepMs, () => {
    const nowMs = performance.now();
    const hasTaken = response.writableLength === 0;
    const isSameStall = nowMs - lastMs < 1.5 * stepMs;
    steps = hasTaken ? 0 : isSameStall ? steps + 1 : 1;
    lastMs = nowMs;
    if (steps >= STALL_STEPS) response.destroy();
    else if (!hasTaken) response.socket?.setTimeout(stepMs);
  });
}

/** Calls `then` once the body is here, or as much of it as a request buffers (64 KiB). */
export function onceBodyArrived(request: IncomingMessage, then: () => void): void {
  const length = Number(request.headers['content-length'] ?? 0);
  const awaited = Math.min(length, request.readableHighWaterMark);
  if (awaited === 0) {
    then();
    return;
  }
  const check = () => {
    if (request.readableLength < awaited) return;
    request.off('readable', check);
    then();
  };
  request.on('readable', check);
}

/** Calls `then` when the headers are sent, or the connection closes before. */
export function onceAnswered(response: ServerResponse, then: () => void): void {
  const { writeHead } = response;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    response.writeHead = writeHead;
    then();
    return writeHead.apply(response, head);
  }) as typeof writeHead;
  response.once('close', then);
}
