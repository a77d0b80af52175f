import 'server-only';
import { AddressRefused } from '../guard/guard.ts';

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there.',
  ECONNRESET: 'The connection was cut.',
  EPIPE: 'The connection was cut.',
  UND_ERR_SOCKET: 'The connection was cut.',
  ENOTFOUND: 'No machine of that name is known.',
  EAI_AGAIN: 'Its name could not be looked up.',
  EHOSTUNREACH: 'The machine cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ETIMEDOUT: 'The machine does not answer.',
  UND_ERR_CONNECT_TIMEOUT: 'The machine does not answer.',
  EPROTO: 'It does not speak TLS.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'It does not speak TLS.',
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is signed by an unknown authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate is signed by an unknown authority.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Its certificate is signed by an unknown authority.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another name.',
};

/** A sentence for admins. Unknown errors give only their code: their text may contain secrets. */
export function connectionProblem(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const code = codeOf(error);
  return PROBLEMS[code ?? ''] ?? (code === undefined ? 'The connection failed.' : `The connection failed (${code}).`);
}

/** undici wraps the socket's error, or one for each address of the host. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string' && /^[A-Z_0-9]{3,50}$/.test(error.code)) return error.code;
  if (!(error instanceof Error)) return undefined;
  return codeOf(error.cause) ?? (error instanceof AggregateError ? codeOf(error.errors[0]) : undefined);
}
