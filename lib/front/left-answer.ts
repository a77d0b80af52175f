import type { ServerResponse } from 'node:http';

/**
 * Ends the answer when the connection closes: Next keeps a request's state until then, and Node reports no end if a
 * client leaves after the last write.
 */
export function endWhenLeft(response: ServerResponse): void {
  response.on('newListener', (event: string | symbol, listener: () => void) => {
    if (event !== 'finish') return;
    response.once('close', () => {
      if (!response.writableFinished) listener();
    });
  });
}
