import 'server-only';
import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import type { ConfigOf } from '#lib/api/outputs/destinations.ts';
import type { Notice } from '#lib/outputs/notice/notice.ts';
import { noticeText } from '#lib/outputs/notice/notice-text.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { attempt } from '../attempt.ts';
import type { Sender, SenderDeps } from '../sender.ts';
import { mailFailure, requireAccepted } from './mail-failure.ts';

const TIMEOUT_MS = 10 * SECOND_MS;

/** @param password '': none */
export function openMail(
  config: ConfigOf<'mail'>,
  password: string,
  { guard, now }: Pick<SenderDeps, 'guard' | 'now'>,
): Sender {
  const { host, port, security, user, ca_pem, from, to } = config;
  return {
    send: (notice, signal) =>
      attempt(signal, async (within) => {
        const { address } = await guard.pinnedAddress(host);
        const transport = createTransport({
          ...{ host: address, port, secure: security === 'tls' },
          requireTLS: security === 'starttls',
          ignoreTLS: security === 'none',
          // The certificate is checked against the name.
          ...(isIP(host) === 0 && { servername: host }),
          ...(ca_pem !== '' && { tls: { ca: ca_pem } }),
          ...(user !== '' && { auth: { user, pass: password } }),
          ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
          ...{ disableFileAccess: true, disableUrlAccess: true },
        });
        const { title, body } = noticeText(notice, now());
        const message = {
          ...{ from, to, subject: title, text: body, signal: within },
          messageId: messageId(notice, from),
          headers: { 'Auto-Submitted': 'auto-generated' },
        };
        requireAccepted(
          await transport.sendMail(message).catch((error: unknown) => Promise.reject(mailFailure(error))),
        );
      }),
    close: async () => undefined,
  };
}

/** The same over all tries: mail servers and readers drop the second. */
function messageId({ id }: Notice, from: string): string {
  return `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`;
}
