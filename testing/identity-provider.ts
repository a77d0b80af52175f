import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';

export interface IdentityProviderSetting {
  /** By login name. A test may change them. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  readonly redirectUri: string;
  /** The id token has all claims, or leaves them to the userinfo endpoint. */
  readonly thickTokens?: boolean;
  readonly signsUserinfo?: boolean;
  /** Default: a random one. */
  readonly clientSecret?: string;
  /** The only one that the client may use. */
  readonly authentication?: 'client_secret_basic' | 'client_secret_post';
}

/** oidc-provider on loopback, with one client and a page for the login name. */
export interface IdentityProvider {
  /** Another site than 127.0.0.1. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly requests: readonly string[];
  stop(): Promise<void>;
}

export async function startIdentityProvider({
  people,
  redirectUri,
  thickTokens = true,
  signsUserinfo = false,
  clientSecret = randomBytes(24).toString('base64url'),
  authentication = 'client_secret_basic',
}: IdentityProviderSetting): Promise<IdentityProvider> {
  const requests: string[] = [];
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const clientId = 'lookout';
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const provider = new Provider(issuer, {
    adapter: memory(),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        id_token_signed_response_alg: 'ES256',
        token_endpoint_auth_method: authentication,
        ...(signsUserinfo ? { userinfo_signed_response_alg: 'ES256' } : {}),
      },
    ],
    clientAuthMethods: [authentication],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    conformIdTokenClaims: !thickTokens,
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
      jwtUserinfo: { enabled: signsUserinfo },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => {
      const claims = people.get(accountId);
      return claims && { accountId, claims: () => ({ sub: accountId, ...claims }) };
    },
    // All people have agreed to what this client requests.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({ clientId, accountId: oidc.session?.accountId });
      grant.addOIDCScope('openid profile email groups');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 },
  });
  const handle = provider.callback();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', issuer);
    requests.push(pathname);
    if (!pathname.startsWith('/interaction/')) return handle(request, response);
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><title>Identity provider</title><form method="post"><label>Login <input name="login"></label>
        <button>Continue</button><button name="refuse" value="1">Refuse</button></form>`,
      );
      return;
    }
    const form = new URLSearchParams(await text(request));
    await provider.interactionFinished(
      request,
      response,
      form.has('refuse')
        ? { error: 'access_denied', error_description: '<b>No</b> entry' }
        : { login: { accountId: form.get('login') ?? '' } },
    );
  }

  return {
    issuer,
    clientId,
    clientSecret,
    requests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function memory(): (kind: string) => Adapter {
  const kept = new Map<string, AdapterPayload>();
  return (kind) => {
    const byUid = (uid: string) => [...kept.values()].find((payload) => payload.kind === kind && payload.uid === uid);
    return {
      upsert: async (id, payload) => void kept.set(`${kind} ${id}`, payload),
      find: async (id) => kept.get(`${kind} ${id}`),
      findByUid: async (uid) => byUid(uid),
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const payload = kept.get(`${kind} ${id}`);
        if (payload) payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => void kept.delete(`${kind} ${id}`),
      revokeByGrantId: async (grantId) => {
        for (const [id, payload] of kept) if (payload.kind === kind && payload.grantId === grantId) kept.delete(id);
      },
    };
  };
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
