import 'server-only';
import type { Socket } from 'node:net';
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { withinMs } from '../../machine.ts';
import { serverName } from '../guard.ts';
import { connectionProblem } from './sender.ts';

const CLOSES_WITHIN_MS = SECOND_MS;
const PONG = 't-x-c-t-r';

export interface SocketTimes {
  /** The handshake of TLS takes at most so long. */
  readonly connectMs: number;
  /** With TLS 1.3, a server refuses the client certificate after the handshake. */
  readonly settleMs: number;
  readonly pingMs: number;
  /** A server is lost that reads nothing for so long, or that answers no ping any more. */
  readonly silentMs: number;
}

export interface SocketOptions {
  /** The socket is connected to the host. */
  readonly socket: Socket;
  readonly config: Pick<ConfigOf<'cot'>, 'host' | 'port' | 'server_name' | 'ca_pem' | 'certificate_pem'>;
  readonly keyPem: string;
  readonly times: SocketTimes;
}

interface SocketEvents {
  readonly onReady: () => void;
  /** The socket takes data again, after a write that filled it. */
  readonly onDrain: () => void;
  readonly onPing: () => string;
  readonly onClosed: (problem: string) => void;
}

type Taken = (error?: Error | null) => void;

/** One TLS connection to a TAK server, until it closes. Pings show that the server still reads. */
export class CotSocket {
  readonly #socket: TLSSocket;
  readonly #times: SocketTimes;
  readonly #events: SocketEvents;
  #timer: NodeJS.Timeout;
  #problem: string | undefined;
  #isReady = false;
  #answersPings = false;
  #unansweredSinceMs: number | undefined;
  #pingsOut = 0;
  #unconfirmed: { readonly taken: Taken; pongs: number }[] = [];
  #blockedSinceMs: number | undefined;

  /** @throws Error if the certificates cannot be read */
  constructor({ socket: plain, config, keyPem, times }: SocketOptions, events: SocketEvents) {
    this.#times = times;
    this.#events = events;
    const name = config.server_name || config.host;
    const socket = connect({
      socket: plain,
      servername: serverName(name),
      checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
      ...(config.ca_pem === '' ? {} : { ca: config.ca_pem }),
      cert: config.certificate_pem,
      key: keyPem,
      minVersion: 'TLSv1.2',
    });
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#fail('It does not answer.'), times.connectMs);
    socket.setKeepAlive(true, times.pingMs);
    socket.once('secureConnect', () => this.#secured());
    socket.on('data', (data) => {
      this.#unansweredSinceMs = undefined;
      this.#answered(data.toString('latin1').split(PONG).length - 1);
    });
    socket.on('drain', () => {
      this.#blockedSinceMs = undefined;
      if (this.#isReady) events.onDrain();
    });
    socket.on('error', (error) => {
      this.#problem ??= cotProblem(error);
    });
    socket.once('close', () => this.#closed());
  }

  get canWrite(): boolean {
    return this.#isReady && this.#blockedSinceMs === undefined && this.#socket.writable;
  }

  write(xml: string): void {
    this.#write(xml, () => undefined);
  }

  /** @param taken when the system took all of it, and the server answered a ping after it, if it answers pings at all */
  writeConfirmed(xml: string, taken: Taken): void {
    if (this.#answersPings) {
      this.write(xml);
      this.#ping();
      this.#unconfirmed.push({ taken, pongs: this.#pingsOut });
    } else this.#write(xml, taken);
  }

  async end(): Promise<void> {
    if (this.#socket.destroyed) return;
    this.#socket.end();
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    await withinMs(closed, CLOSES_WITHIN_MS);
    this.#socket.destroy();
  }

  #secured(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = setInterval(() => this.#check(), this.#times.pingMs);
      this.#isReady = true;
      this.#events.onReady();
      this.#check();
    }, this.#times.settleMs);
  }

  /** TCP alone finds a dead receiver only after many minutes. */
  #check(): void {
    const now = performance.now();
    const isSilent = (sinceMs: number | undefined) => sinceMs !== undefined && now - sinceMs >= this.#times.silentMs;
    if (isSilent(this.#blockedSinceMs)) this.#fail('It no longer reads.');
    else if (this.#answersPings && isSilent(this.#unansweredSinceMs)) this.#fail('It no longer answers.');
    else if (this.canWrite) {
      // A server may have left out an answer.
      if (this.#unansweredSinceMs === undefined) this.#pingsOut = 0;
      this.#ping();
    }
  }

  #ping(): void {
    this.#pingsOut += 1;
    this.#unansweredSinceMs ??= performance.now();
    this.write(this.#events.onPing());
  }

  #write(xml: string, taken: Taken): void {
    if (!this.#socket.write(xml, taken)) this.#blockedSinceMs ??= performance.now();
  }

  #answered(pongs: number): void {
    if (pongs === 0) return;
    this.#answersPings = true;
    this.#pingsOut = Math.max(0, this.#pingsOut - pongs);
    for (const each of this.#unconfirmed) each.pongs -= pongs;
    const confirmed = this.#unconfirmed.filter((each) => each.pongs <= 0);
    this.#unconfirmed = this.#unconfirmed.filter((each) => each.pongs > 0);
    for (const { taken } of confirmed) taken();
  }

  #fail(problem: string): void {
    this.#problem ??= problem;
    this.#socket.destroy();
  }

  #closed(): void {
    clearTimeout(this.#timer);
    const wasCut = this.#problem === undefined || this.#problem === CUT;
    const isRefused = !this.#isReady && wasCut;
    this.#isReady = false;
    for (const { taken } of this.#unconfirmed.splice(0)) taken(new Error(CUT));
    this.#events.onClosed(
      isRefused ? 'It ended the connection at once. It may refuse the client certificate.' : (this.#problem ?? CUT),
    );
  }
}

export const CUT = 'The connection was cut.';
const REFUSED = 'It refuses the client certificate.';
const UNREADABLE = 'The client certificate, its key or the authority is no PEM that can be read.';

/** Codes of Node and of OpenSSL for failures of mutual TLS. */
const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [
    /^ERR_SSL_(PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|TLSV1_ALERT_PROTOCOL_VERSION)$/,
    'It does not speak TLS 1.2.',
  ],
  [/^CERT_NOT_YET_VALID$/, 'Its certificate is not valid yet.'],
  [/SELF_SIGNED_CERT|^UNABLE_TO_|^CERT_SIGNATURE_FAILURE$/, 'Its certificate is not signed by the given authority.'],
  [/^ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED$/, 'It requires a client certificate.'],
  [/^ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED$/, 'It refuses the client certificate, which has expired.'],
  [/^ERR_SSL_(SSLV3|TLSV1|TLSV13)_ALERT_(BAD_CERT|CERT|UNKNOWN_CA|ACCESS_DENIED|DECRYPT)/, REFUSED],
  [/^ERR_OSSL_X509_KEY_VALUES_MISMATCH$/, 'The key is not that of the client certificate.'],
  [/^(ERR_OSSL_|ERR_SSL_(CA_MD|EE_KEY))/, UNREADABLE],
];

/** @returns a sentence for admins */
export function cotProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return PROBLEMS.find(([codes]) => codes.test(code))?.[1] ?? connectionProblem(error);
}
