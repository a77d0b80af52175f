import 'server-only';

export const CUT = 'it cut the connection';

const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^(ECONNRESET|EPIPE|ERR_STREAM_DESTROYED)$/, CUT],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'its name is not known'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'it cannot be reached'],
  [/^ETIMEDOUT$/, 'it does not answer'],
  [
    /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL))$/,
    'it does not speak TLS 1.2',
  ],
  [/^ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION$/, 'it does not speak TLS 1.2'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet'],
  [
    /SELF_SIGNED_CERT|^UNABLE_TO_|^CERT_(SIGNATURE_FAILURE|UNTRUSTED)$/,
    'its certificate is not signed by the given authority',
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name'],
  [/^ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED$/, 'it requires a client certificate'],
  [/^ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED$/, 'it refuses the client certificate, which has expired'],
  [
    /^ERR_SSL_(SSLV3|TLSV1|TLSV13)_ALERT_(BAD_CERTIFICATE|CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|DECRYPT)/,
    'it refuses the client certificate',
  ],
  [/^ERR_OSSL_X509_KEY_VALUES_MISMATCH$/, 'the key is not that of the client certificate'],
  [
    /^(ERR_OSSL_|ERR_SSL_(CA_MD|EE_KEY))/,
    'the client certificate, its key or the authority is no PEM that can be read',
  ],
];

/** Errors of the system give only their code, since their text may name anything; our own have none. */
export function connectionProblem(error: unknown): string {
  if (error instanceof Error && !('code' in error)) return error.message;
  const code = error instanceof Error ? String((error as NodeJS.ErrnoException).code) : '';
  const known = PROBLEMS.find(([codes]) => codes.test(code));
  return known?.[1] ?? (/^[A-Z_0-9]{3,60}$/.test(code) ? `it failed (${code})` : 'it failed');
}
