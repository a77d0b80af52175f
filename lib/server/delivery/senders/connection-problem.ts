import 'server-only';
import { AddressRefused, Unreachable } from '../guard/guard.ts';

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there.',
  ECONNRESET: 'The connection was cut.',
  EPIPE: 'The connection was cut.',
  UND_ERR_SOCKET: 'The connection was cut.',
  ENOTFOUND: 'No machine of that name is known.',
  EAI_AGAIN: 'Its name could not be looked up.',
  EHOSTUNREACH: 'The machine cannot be reached.',
  EHOSTDOWN: 'The machine cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ENETDOWN: 'The network cannot be reached.',
  EADDRNOTAVAIL: 'The network cannot be reached.',
  EAFNOSUPPORT: 'The network cannot be reached.',
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

/** Of several addresses, an error of the network says less than one of the machine: many have no IPv6. */
const SAYS_LITTLE = [
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
];

const LEFT_OUT = 'Its addresses that are neither public nor listed in OUTPUT_PRIVATE_ADDRESSES were left out.';

/** Sentences for admins. Unknown errors give only their code: their text may contain secrets. */
export function connectionProblem(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  if (error instanceof Unreachable && error.isPartial) return `${sentence(codeOf(error))} ${LEFT_OUT}`;
  return sentence(codeOf(error));
}

function sentence(code: string | undefined): string {
  return PROBLEMS[code ?? ''] ?? (code === undefined ? 'The connection failed.' : `The connection failed (${code}).`);
}

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
