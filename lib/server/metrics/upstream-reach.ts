import 'server-only';
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';

const TIMEOUT_MS = 3000;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** Sends no request, which would cost allowance. */
export async function canReach(baseUrl: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(baseUrl);
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const at = { host, port: Number(port) || (isTls ? HTTPS_PORT : HTTP_PORT) };
  const socket = isTls ? connectTls(isIP(host) ? at : { ...at, servername: host }) : connect(at);
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    // Without a listener, a late error would end the process.
    socket.on('error', () => undefined);
    socket.destroy();
  }
}
