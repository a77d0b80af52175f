import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface StatusSocket {
  readonly path: string;
  serve(answer: RequestListener): Promise<void>;
  remove(): Promise<void>;
}

/** Nothing listens there yet. */
export function makeStatusSocket(): StatusSocket {
  const folder = mkdtempSync(join(tmpdir(), 'status-socket-'));
  const path = join(folder, 'status.sock');
  let close = async () => {};
  return {
    path,
    async serve(answer) {
      const server = createServer(answer);
      await new Promise<void>((resolve) => server.listen(path, resolve));
      close = () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        });
    },
    async remove() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}
