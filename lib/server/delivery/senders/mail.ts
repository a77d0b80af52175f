import 'server-only';
import type { Socket } from 'node:net';
import { domainToASCII } from 'node:url';
import { createTransport } from 'nodemailer';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import { type Notice, noticeText } from '#lib/outputs/notice.ts';
import { ipAddress } from '#lib/text/ip-address.ts';
import { plainLine } from '#lib/text/plain-line.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { bare, serverName } from '../guard.ts';
import { attempt, connectionProblem, type Sender, type SenderDeps, SendFailure } from './sender.ts';

const TIMEOUT_MS = 10 * SECOND_MS;
/** So many notices that some recipients accepted are remembered; older ones are sent to all again. */
const PARTLY_MAX = 10_000;

/** Sends mail over SMTP, to each recipient once. @param password '': none */
export function openMail(
  config: ConfigOf<'mail'>,
  password: string,
  { guard, now, publicOrigin }: Pick<SenderDeps, 'guard' | 'now' | 'publicOrigin'>,
): Sender {
  const { host, port, security, user, ca_pem, from } = config;
  /** The recipients that were refused while others accepted, by the id of the notice. */
  const refusedBy = new Map<string, readonly string[]>();

  async function send(notice: Notice, signal: AbortSignal): Promise<void> {
    let socket: Socket | undefined;
    const transport = createTransport({
      host: bare(host),
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      // The certificate is checked against the name.
      servername: serverName(host),
      ...(ca_pem !== '' && { tls: { ca: ca_pem } }),
      ...(user !== '' && { auth: { user, pass: password } }),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      getSocket: (_options, done) => {
        guard.connect(host, port).then(
          (connection) => {
            socket = connection;
            done(null, { connection, name: heloName(publicOrigin, from, connection) });
          },
          (error: Error) => done(error, false),
        );
      },
    });
    const { title, body } = noticeText(notice, now());
    const to = config.to.map(addressOf);
    const left = refusedBy.get(notice.id);
    const message = {
      from: addressOf(from),
      to,
      subject: title,
      text: body,
      signal,
      ...(left && { envelope: { from, to: [...left] } }),
      messageId: messageId(notice, from),
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    const { rejected, rejectedErrors = [] } = await transport.sendMail(message).catch((error: SmtpError) => {
      socket?.destroy();
      throw mailFailure(error, left);
    });
    refusedBy.delete(notice.id);
    if (rejected.length === 0) return;
    refusedBy.set(notice.id, rejected.map(String));
    for (const [oldest] of refusedBy) if (refusedBy.size > PARTLY_MAX) refusedBy.delete(oldest);
    throw partly(rejected.map(String), rejectedErrors[0] ?? {});
  }

  return { send: (notice, signal) => attempt(signal, (within) => send(notice, within)), close: async () => undefined };
}

/** An address is no list, whatever it contains. */
function addressOf(address: string) {
  return { name: '', address };
}

/** The id is the same over all tries: mail servers and readers drop the second. */
function messageId({ id }: Notice, from: string): string {
  return `<${id}@${domainOf(from)}>`;
}

function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domainToASCII(domain) || domain;
}

/** Servers refuse names of containers and other names without a dot. */
const FULL_NAME = /^[\w-]+(\.[\w-]+)*\.[a-z][\w-]*$/i;

/** The name in EHLO (RFC 5321, 4.1.4), or without a full name the address in brackets. */
function heloName(publicOrigin: string | undefined, from: string, { localAddress = '' }: Socket): string {
  const names = [URL.parse(publicOrigin ?? '')?.hostname ?? '', domainOf(from)];
  const name = names.find((each) => FULL_NAME.test(each));
  if (name !== undefined) return name;
  const address = ipAddress(localAddress)?.toString() ?? '';
  return address.includes(':') ? `[IPv6:${address}]` : `[${address}]`;
}

interface SmtpError extends Partial<Error> {
  readonly code?: string | undefined;
  /** The code of the socket's error. */
  readonly originalCode?: string | undefined;
  /** The status of SMTP, such as 550. */
  readonly responseCode?: number | undefined;
  /** The answer as the server wrote it. */
  readonly response?: string | undefined;
  readonly command?: string | undefined;
}

/** Sentences for the codes of nodemailer. */
const PROBLEMS: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refuses the user or the password.',
  ENOAUTH: 'The mail server requires a user and a password.',
  ETIMEDOUT: 'The mail server does not answer.',
  EPROTOCOL: 'It does not speak SMTP.',
  ECONNECTION: 'The connection was cut.',
  ETLS: 'TLS with the mail server failed.',
};

function partly(refused: readonly string[], error: SmtpError): SendFailure {
  return new SendFailure(
    'partly',
    `The mail server refuses ${refused.join(', ')}${quotedText(error)} It accepted the mail for the others.`,
  );
}

/** @param left recipients that were refused before, while others accepted */
function mailFailure(error: SmtpError, left: readonly string[] | undefined): SendFailure {
  const { code = '', originalCode, responseCode = 0, command = '', message = '' } = error;
  if (code === 'EENVELOPE' && left) return partly(left, error);
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    const refused = code === 'EMESSAGE' ? 'the message' : command === 'MAIL FROM' ? 'the sender' : 'every recipient';
    const kind = responseCode >= 400 && responseCode < 500 ? 'retry' : 'failed';
    return new SendFailure(kind, `The mail server refuses ${refused}${quotedText(error)}`);
  }
  if (code === 'ETLS' && /STARTTLS/.test(message))
    return new SendFailure('retry', 'The mail server does not offer STARTTLS, or TLS failed.');
  if (responseCode > 0 && code !== 'EAUTH')
    return new SendFailure('retry', `The mail server refuses the connection${quotedText(error)}`);
  const known = PROBLEMS[code];
  return new SendFailure(
    'retry',
    known ?? connectionProblem(originalCode === undefined ? error : { code: originalCode }),
  );
}

const QUOTED_MAX_LENGTH = 160;

/** The server's sentence, which may repeat addresses. The answer to a password is not quoted. */
function quotedText({ response = '' }: SmtpError): string {
  // Each line of an answer begins with the code.
  const [code] = /^\d{3}/.exec(response) ?? [];
  const line = plainLine(response.replaceAll(/^\d{3}[ -]/gm, ''));
  const status = code === undefined ? '' : ` (status ${code})`;
  return line === '' ? `${status}.` : `${status}: “${line.slice(0, QUOTED_MAX_LENGTH)}”.`;
}
