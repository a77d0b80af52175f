import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type NewPush, type PushMessage, pushMessageSchema } from '#lib/api/people/push.ts';
import { selfSigned } from './self-signed.ts';

/** A message as a browser shows it, with the headers of its request. */
export interface Pushed extends PushMessage {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * A push service on loopback with one browser behind it. It refuses a request whose signature is not of the key that the
 * browser subscribed with (RFC 8292), and the browser decrypts (RFC 8291). Both use node:crypto alone.
 */
export class PushService {
  readonly pushed: Pushed[] = [];
  /** The reasons of refused requests. */
  readonly refused: string[] = [];
  /** The file of its certificate, which the process of the test trusts. */
  readonly certificateFile: string;
  /** Answers 201 by default. */
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(201).end();
  /** The key that the browser subscribed with. */
  key = '';
  readonly #browser = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  readonly #server: Server;
  readonly #folder = mkdtempSync(join(tmpdir(), 'push-service-'));

  private constructor() {
    this.#browser.generateKeys();
    const { keyFile, certificateFile } = selfSigned(this.#folder, 'IP:127.0.0.1');
    this.certificateFile = certificateFile;
    const files = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
    this.#server = createServer(files, async (request, response) => {
      const body = await buffer(request);
      try {
        const { method, url, headers } = request;
        if (method !== 'POST' || url !== '/send/1') throw new Error(`${method} ${url}`);
        requireVapid(headers.authorization ?? '', `https://${headers.host}`, this.key);
        if (headers['content-encoding'] !== 'aes128gcm') throw new Error('another encoding');
        if (!/^\d+$/.test(String(headers.ttl))) throw new Error('no TTL');
        if (body.length > 4096) throw new Error(`${body.length} bytes`);
        const message = pushMessageSchema.parse(JSON.parse(this.#decrypt(body)));
        this.pushed.push({
          ...message,
          headers: { ...headers, 'content-length': String(body.length) } as Pushed['headers'],
        });
      } catch (error) {
        this.refused.push(String(error));
        response.writeHead(403).end();
        return;
      }
      this.answer(response);
    });
  }

  static async open(): Promise<PushService> {
    const service = new PushService();
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(service.certificateFile, 'utf8')]);
    return service;
  }

  /** As `PushSubscription.toJSON` writes it. */
  subscription(choices: Partial<NewPush['choices']> = {}): NewPush {
    const { port } = this.#server.address() as AddressInfo;
    return {
      endpoint: `https://127.0.0.1:${port}/send/1`,
      keys: { p256dh: this.#browser.getPublicKey('base64url'), auth: this.#auth.toString('base64url') },
      choices: { positions: false, own_zones: false, quiet: null, time_zone: 'UTC', units: 'metric', ...choices },
    };
  }

  answerStatus(status: number): void {
    this.answer = (response) => void response.writeHead(status).end();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    rmSync(this.#folder, { recursive: true });
  }

  /** RFC 8188, 2.1: salt, record size, length of the key, key. RFC 8291, 3.4: the keys. */
  #decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const size = body.readUInt32BE(16);
    const keyEnd = 21 + body.readUInt8(20);
    const sender = body.subarray(21, keyEnd);
    const record = body.subarray(keyEnd);
    if (record.length > size) throw new Error('several records');
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#browser.getPublicKey(), sender]);
    const ikm = hkdfSync('sha256', this.#browser.computeSecret(sender), this.#auth, info, 32);
    const derive = (label: string, bytes: number) =>
      Buffer.from(hkdfSync('sha256', Buffer.from(ikm), salt, Buffer.from(`Content-Encoding: ${label}\0`), bytes));
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    decipher.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    const end = padded.lastIndexOf(2);
    if (padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no delimiter of the last record');
    return padded.subarray(0, end).toString();
  }
}

/** @throws Error for a token that is not for this service, not by the key, or valid for more than a day (RFC 8292, 2 and 3) */
function requireVapid(authorization: string, origin: string, key: string): void {
  const [, token = '', by = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  if (by !== key) throw new Error('another key');
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(by, 'base64url');
  const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const publicKey = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) },
    format: 'jwk',
  });
  const signed = Buffer.from(`${header}.${claims}`);
  const isSigned = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('not signed by the key');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const { aud, exp, sub } = read(claims);
  if (read(header).alg !== 'ES256') throw new Error('another algorithm');
  if (aud !== origin) throw new Error(`for ${aud}`);
  const aheadS = exp - Date.now() / 1000;
  if (!(aheadS > 0 && aheadS <= 86_400)) throw new Error(`valid for ${aheadS} s`);
  if (!/^(?:https:|mailto:)/.test(sub)) throw new Error(`by ${sub}`);
}
