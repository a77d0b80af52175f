import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { SelfSigned } from './self-signed.ts';

const PROGRAM = fileURLToPath(new URL('./smtp-server.py', import.meta.url));

/** As Python's own parser reads it. */
interface ReceivedMail {
  readonly headers: readonly (readonly [string, string])[];
  readonly type: string;
  readonly text: string;
  /** Of the envelope. */
  readonly from: string;
  readonly to: readonly string[];
  readonly helo: string;
  readonly isTls: boolean;
}

export interface SmtpServer {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  stop(): Promise<void>;
}

/** aiosmtpd. With TLS it requires the user `lookout` with the password `right`. */
export async function startSmtpServer(
  security: 'none' | 'starttls' | 'tls',
  certificate?: SelfSigned,
): Promise<SmtpServer> {
  // Debian's Python has Debian's packages.
  const child = spawn(
    '/usr/bin/python3',
    ['-W', 'ignore', PROGRAM, security, certificate?.certificateFile ?? '', certificate?.keyFile ?? ''],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface(child.stdout);
  const [port] = await once(lines, 'line');
  const received: ReceivedMail[] = [];
  lines.on('line', (line) => received.push(JSON.parse(line)));
  return {
    port: Number(port),
    received,
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
