import type { IncomingMessage } from 'node:http';

/** The body must not exceed the 64 KiB that a request buffers. */
export function onceBodyArrived(request: IncomingMessage, then: () => void): void {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length === 0) {
    then();
    return;
  }
  const check = () => {
    if (request.readableLength < length) return;
    request.off('readable', check);
    then();
  };
  request.on('readable', check);
}
