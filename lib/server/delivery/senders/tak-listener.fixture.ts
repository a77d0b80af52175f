import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { type ReadEvent, readEvent } from '../../../outputs/read-event.fixture.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** An authority that signs for as long as a test file runs. */
export function makeAuthority() {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-cot-'));
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  let made = 0;
  openssl('req', '-x509', ...NEW_KEY, '-days', '2', '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.pem');
  return {
    cert: readFileSync(file('ca.pem'), 'utf8'),
    /** @param days negative: expired */
    sign(name: string, days = 2): Certificate {
      made += 1;
      const [key, request, cert] = [`${made}.key`, `${made}.csr`, `${made}.pem`];
      const named = ['-subj', '/CN=end', '-addext', `subjectAltName=${name}`];
      openssl('req', ...NEW_KEY, ...named, '-keyout', key, '-out', request);
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-copy_extensions', 'copy', '-days', `${days}`];
      openssl('x509', '-req', '-in', request, ...by, '-out', cert);
      return { cert: readFileSync(file(cert), 'utf8'), key: readFileSync(file(key), 'utf8') };
    },
    end: () => rmSync(folder, { recursive: true }),
  };
}

export interface TakListener {
  readonly port: number;
  readonly events: ReadEvent[];
  readonly sockets: Set<TLSSocket>;
  readonly connections: number;
  /** Resets each connection. */
  reset(): void;
  close(): Promise<void>;
}

export interface ListenerOptions extends Certificate {
  /** The authority that signs client certificates. */
  readonly ca: string;
  readonly port?: number;
  readonly answersPings?: boolean;
  readonly onSocket?: (socket: TLSSocket) => void;
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3';
}

/** Requires a client certificate, as TAK servers do, and reads each event strictly. */
export async function listenForCot({ port, answersPings, onSocket, ...tls }: ListenerOptions): Promise<TakListener> {
  const events: ReadEvent[] = [];
  const sockets = new Set<TLSSocket>();
  const all = new Set<Socket>();
  let connections = 0;
  const server = createServer({ ...tls, requestCert: true, rejectUnauthorized: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (onSocket) return onSocket(socket);
    let unread = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      const parts = (unread + text).split('</event>');
      unread = parts.pop() ?? '';
      for (const part of parts) {
        const event = readEvent(`${part}</event>`);
        events.push(event);
        if (answersPings && event.attributes.type === 't-x-c-t') socket.write('<event type="t-x-c-t-r"/>');
      }
    });
  });
  server.on('connection', (socket) => all.add(socket.on('error', () => undefined)));
  server.on('tlsClientError', () => undefined);
  return {
    port: await listening(server, port),
    events,
    sockets,
    get connections() {
      return connections;
    },
    reset() {
      for (const socket of all) socket.resetAndDestroy();
      all.clear();
    },
    async close() {
      for (const socket of all) socket.destroy();
      server.close();
    },
  };
}

export async function listenPlainly(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    answer(socket);
  });
  const port = await listening(server);
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function listening(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
