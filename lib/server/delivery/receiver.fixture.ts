import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server of HTTP on loopback that keeps what it received. */
export class Receiver {
  readonly received: Received[] = [];
  /** Answers 204 by default. */
  answer: (response: ServerResponse, received: Received) => void = (response) => void response.writeHead(204).end();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const received = { path: request.url ?? '', headers: request.headers, body };
      this.received.push(received);
      this.answer(response, received);
    });
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  answerStatus(status: number, headers: Record<string, string> = {}): void {
    this.answer = (response) => void response.writeHead(status, headers).end();
  }

  /** The CloudEvents that it received, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  get events(): any[] {
    return this.received.map(({ body }) => JSON.parse(body));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
