import 'server-only';
import { connectionProblem } from '../connection-problem.ts';

export const CUT = 'The connection was cut.';
const REFUSED = 'It refuses the client certificate.';
const UNREADABLE = 'The client certificate, its key or the authority is no PEM that can be read.';

/** Of mutual TLS: codes of Node and of OpenSSL. */
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

/** A sentence for admins. */
export function cotProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return PROBLEMS.find(([codes]) => codes.test(code))?.[1] ?? connectionProblem(error);
}
