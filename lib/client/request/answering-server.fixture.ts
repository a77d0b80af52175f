import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PlannedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly breaksOff?: boolean;
}

export class AnsweringServer {
  readonly #server: Server;
  answer: PlannedAnswer = {};

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<AnsweringServer> {
    const server = createServer((_, response) => {
      const { status = 200, headers = {}, body = '', breaksOff = false } = started.answer;
      response.writeHead(status, breaksOff ? { ...headers, 'content-length': body.length + 100 } : headers);
      if (!breaksOff) response.end(body);
      else response.write(body, () => response.destroy());
    });
    const started = new AnsweringServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
