import type { IncomingMessage } from 'node:http';

/** Of a body that is longer than what a request buffers, 64 KiB: once the buffer is full. */
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
