import type { ServerResponse } from 'node:http';

/**
 * Calls `then` when the answer's headers are sent, or when the connection has closed before. A page is rendered by then; what is left
 * takes as long as its reader wants.
 */
export function onceAnswered(response: ServerResponse, then: () => void): void {
  const { writeHead } = response;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    response.writeHead = writeHead;
    then();
    return writeHead.apply(response, head);
  }) as typeof writeHead;
  response.once('close', then);
}
