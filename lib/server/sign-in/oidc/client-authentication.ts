import 'server-only';
import { type ClientAuth, ClientSecretPost } from 'openid-client';

const BASIC = 'client_secret_basic';
const POST = 'client_secret_post';
/** RFC 6749, appendix B, except that `~`, which RFC 3986 never encodes, stays as it is. */
const ENCODED = /[^A-Za-z0-9\-._~*]/gu;
const METHODS_MAX_SHOWN = 200;

export interface ClientAuthentication {
  readonly authenticate: ClientAuth;
  /** For the log, if the provider refuses the client. */
  readonly refusal: string;
}

/**
 * By HTTP Basic, unless the provider announces only the body. Encodes no more than needed: some providers compare the
 * secret without decoding it.
 * @param methods that the provider announces; by default, only HTTP Basic (RFC 8414, section 2)
 */
export function clientAuthentication(
  clientId: string,
  clientSecret: string,
  methods: readonly string[] = [BASIC],
): ClientAuthentication {
  const usesBasic = methods.includes(BASIC);
  const [user, password] = [formEncoded(clientId), formEncoded(clientSecret)];
  const refused = `the provider refused OIDC_CLIENT_ID and its secret, sent by ${usesBasic ? BASIC : POST}`;
  if (!usesBasic)
    return {
      authenticate: ClientSecretPost(clientSecret),
      refusal: methods.includes(POST) ? refused : `${refused}: it announces only ${shown(methods)}`,
    };
  const isEncoded = user !== clientId || password !== clientSecret;
  return {
    authenticate: (_server, _client, _body, headers) =>
      headers.set('authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`),
    refusal: isEncoded
      ? `${refused}; ${user === clientId ? 'the secret' : 'one of them'} has characters that are sent encoded, which some providers do not decode: letters, digits and -._~ are sent as they are`
      : refused,
  };
}

function formEncoded(text: string): string {
  return text.replace(ENCODED, (character) =>
    character === ' '
      ? '+'
      : [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

function shown(methods: readonly string[]): string {
  return (
    methods
      .join(', ')
      .replace(/[^\w ,-]/g, '')
      .slice(0, METHODS_MAX_SHOWN) || 'nothing'
  );
}
