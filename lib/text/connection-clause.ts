/** Clauses about the other end, by the code of a failed connection. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'no machine of that name is known',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'the machine cannot be reached',
  EHOSTDOWN: 'the machine cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENETDOWN: 'the network cannot be reached',
  EADDRNOTAVAIL: 'the network cannot be reached',
  EAFNOSUPPORT: 'the network cannot be reached',
  ETIMEDOUT: 'the machine does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the machine does not answer',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/**
 * Why a connection failed, as a clause that continues a sentence. An unknown error gives only its code, since its text
 * may contain secrets, or anything that the other end sent.
 * @param failed the clause for unknown errors
 * @param others clauses for further codes
 */
export function connectionClause(
  error: unknown,
  failed: string,
  others: (code: string) => string | undefined = () => undefined,
): string {
  const code = codeOf(error);
  if (code === undefined) return failed;
  return PROBLEMS[code] ?? others(code) ?? `${failed} (${code})`;
}

/** Where several addresses fail, an error of the network says less than one of the machine: many have no IPv6. */
const SAYS_LITTLE = [
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
];

/** Node and undici wrap the socket's error, or one for each address of the host. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if (error instanceof AggregateError) {
    const codes = error.errors.map(codeOf).filter((code) => code !== undefined);
    return codes.sort((one, other) => SAYS_LITTLE.indexOf(one) - SAYS_LITTLE.indexOf(other))[0];
  }
  if ('code' in error && typeof error.code === 'string' && /^[A-Z_0-9]{3,50}$/.test(error.code)) return error.code;
  return error instanceof Error ? codeOf(error.cause) : undefined;
}
