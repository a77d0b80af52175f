import type { IncomingMessage } from 'node:http';

/**
 * Calls `then` when the body has arrived; it is left unread. A body must not be longer than what a request buffers, which is 64 KiB.
 * A request without a body has arrived.
 */
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
