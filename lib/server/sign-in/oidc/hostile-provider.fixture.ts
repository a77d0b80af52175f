import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Readonly<Record<string, unknown>>;

export interface Hostility {
  readonly description?: Json;
  readonly header?: Json;
  readonly claims?: Json;
  readonly signature?: (signed: string) => string;
  readonly userinfo?: Json;
  readonly answers?: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => void>>;
}

export class HostileProvider {
  hostility: Hostility = {};
  readonly clientId = 'lookout';
  readonly requests: string[] = [];
  nonce = '';
  readonly #server: Server;
  readonly #key: KeyObject;
  readonly #publicKey: Json;
  #port = 0;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#publicKey = { ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'one' };
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', this.issuer);
      this.requests.push(pathname);
      const answer = this.hostility.answers?.[pathname];
      if (answer) answer(response, request);
      else this.#answer(pathname, response);
    });
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<this> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(pathname: string, response: ServerResponse): void {
    const { issuer } = this;
    const json = (body: unknown) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    };
    switch (pathname) {
      case '/.well-known/openid-configuration':
        json({
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
          ...this.hostility.description,
        });
        return;
      case '/jwks':
        json({ keys: [this.#publicKey] });
        return;
      case '/token':
        json(this.tokens());
        return;
      case '/me':
        json(this.hostility.userinfo);
        return;
      default:
        response.statusCode = 404;
        response.end();
    }
  }

  tokens(): Json {
    const nowS = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: this.clientId,
      sub: 'bob',
      nonce: this.nonce,
      iat: nowS,
      exp: nowS + 60,
      name: 'Bob',
      groups: ['tower'],
      ...this.hostility.claims,
    };
    return { access_token: 'access', token_type: 'Bearer', id_token: this.signed(claims, this.hostility.header) };
  }

  signed(claims: Json, header?: Json): string {
    const part = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
    const signed = `${part({ alg: 'ES256', kid: 'one', ...header })}.${part(claims)}`;
    const signature =
      this.hostility.signature?.(signed) ??
      sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    return `${signed}.${signature}`;
  }
}
