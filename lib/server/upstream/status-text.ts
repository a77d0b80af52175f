import 'server-only';
import { request } from 'node:http';

interface Asked {
  readonly timeoutMs: number;
  readonly target?: string;
  readonly maxBytes?: number;
}

/** Several times what a hundred feeds take. */
const STATUS_MAX_BYTES = 1024 * 1024;

/** @throws RangeError if it is too long; TimeoutError if it is not complete after `timeoutMs`; the socket's error */
export function statusText(
  socketPath: string,
  { timeoutMs, target = '/', maxBytes = STATUS_MAX_BYTES }: Asked,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const failed = (error: unknown) => reject(signal.aborted ? signal.reason : error);
    const asking = request({ socketPath, path: target, signal }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) response.destroy(new RangeError('the answer is longer than any status'));
        else chunks.push(chunk);
      });
      response.once('error', failed);
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    asking.once('error', failed);
    asking.end();
  });
}
