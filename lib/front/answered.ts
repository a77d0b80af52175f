import type { ServerResponse } from 'node:http';

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
