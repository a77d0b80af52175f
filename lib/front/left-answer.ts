import type { ServerResponse } from 'node:http';

/**
 * Next waits for the end of an answer, and keeps what belongs to its request until then. Where a client leaves after all was written and before
 * all was sent, Node never announces that end: whoever waits for it from now on is told when the connection closes.
 */
export function endWhenLeft(response: ServerResponse): void {
  response.on('newListener', (event: string | symbol, listener: () => void) => {
    if (event !== 'finish') return;
    response.once('close', () => {
      if (!response.writableFinished) listener();
    });
  });
}
