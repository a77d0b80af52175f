import type { ServerResponse } from 'node:http';

/**
 * Next waits for the end of an answer, and keeps its request's state until then. If a client leaves after the last write and before the last
 * byte was sent, Node never reports that end. This reports it when the connection closes.
 */
export function endWhenLeft(response: ServerResponse): void {
  response.on('newListener', (event: string | symbol, listener: () => void) => {
    if (event !== 'finish') return;
    response.once('close', () => {
      if (!response.writableFinished) listener();
    });
  });
}
