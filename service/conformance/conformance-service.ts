import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { AccountAccess, AccountWithKeys } from '../accounts/access.ts';
import { makeAccountsFile } from '../accounts/sqlite/accounts-file.ts';
import { openSqliteAccess } from '../accounts/sqlite/sqlite-access.ts';
import { openSqliteBook } from '../accounts/sqlite/sqlite-book.ts';
import { DEFAULT_ALLOWANCE, fullAccessAccount, type ServiceOptions, startService } from '../server/start-service.ts';
import { listedSource } from './listed-source.ts';

/** The time at which tests start, in the middle of a minute and of a UTC day. */
export const START = upstreamInstant(Date.UTC(2026, 10, 21, 12, 0, 10));

export const BBOX = '8,47,9,48';

export interface ConformanceAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Throws a SyntaxError if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect bodies that may have any shape.
  readonly json: any;
}

interface RequestOptions {
  readonly method?: string;
  /** null: no Authorization header; an array: one header for each. Default: the service's own key. */
  readonly authorization?: string | readonly string[] | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const API_KEY = 'the-key-of-the-conformance-service';

export async function startConformanceService(options: Partial<ServiceOptions> = {}) {
  let now: UpstreamInstant = START;
  const accounts = options.accounts ?? [fullAccessAccount(API_KEY, options.allowance ?? DEFAULT_ALLOWANCE, START)];
  const stored = await storeAccounts(accounts, () => now);
  const started = await startService({
    source: listedSource([]),
    prefix: 'TST',
    now: () => now,
    ...options,
    access: stored.access,
    apiKey: API_KEY,
  });
  const service = {
    ...started,
    async close() {
      await started.close();
      stored.close();
    },
  };
  const { origin, hostname, port } = new URL(service.baseUrl);

  const send = (target: string, options: RequestOptions = {}): Promise<ConformanceAnswer> =>
    sendRequest({ hostname, port, path: target }, { authorization: `Bearer ${service.apiKey}`, ...options });

  return {
    service,
    origin,
    /** Requests a path below the base path, such as `live/rid?bbox=…`. */
    get: (pathAndQuery: string, options?: RequestOptions) => send(`/v1/${pathAndQuery}`, options),
    send,
    /** Reads until the service closes the connection. */
    sendRaw: (text: string) => sendRaw(hostname, Number(port), text),
    now: () => now,
    moveClock(ms: number) {
      now = addMs(now, ms);
    },
  };
}

export type ConformanceService = Awaited<ReturnType<typeof startConformanceService>>;

function sendRequest(
  target: { readonly hostname: string; readonly port: string; readonly path: string },
  { method = 'GET', authorization, headers }: RequestOptions,
): Promise<ConformanceAnswer> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(
      { ...target, method, agent: false, headers: { connection: 'close', ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            get json() {
              return JSON.parse(text);
            },
          });
        });
      },
    );
    clientRequest.once('error', reject);
    if (authorization !== null && authorization !== undefined) clientRequest.setHeader('authorization', authorization);
    clientRequest.end();
  });
}

function sendRaw(host: string, port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, host, () => socket.write(text));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

async function storeAccounts(
  accounts: readonly AccountWithKeys[],
  now: () => UpstreamInstant,
): Promise<{ readonly access: AccountAccess; close(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const file = join(folder, 'accounts.sqlite');
  copyFileSync(emptyFile(), file);
  const book = openSqliteBook(file);
  book.change((rows) => {
    for (const { id, grant, scopes, lookbackDays, allowance, keys } of accounts) {
      const account = rows.addAccount({
        name: id,
        createdAt: now(),
        allowance,
        email: null,
        grant: {
          state: grant.active ? 'active' : 'revoked',
          scopes: [...scopes],
          lookbackDays,
          until: grant.expiresAt,
          company: null,
          purpose: null,
          decidedAt: now(),
          noticedDays: null,
        },
        request: null,
      });
      for (const key of keys) {
        rows.addKey({ ...key, accountId: account.id, startsWith: '', replacedAt: null, noticedDays: null });
      }
    }
  });
  book.close();
  let isClosed = false;
  const access = openSqliteAccess(file, {
    now,
    log(entry) {
      throw new Error(entry);
    },
  });
  return {
    access,
    close() {
      if (isClosed) return;
      isClosed = true;
      access.close();
      rmSync(folder, { recursive: true });
    },
  };
}

let madeEmpty: string | undefined;

function emptyFile(): string {
  if (madeEmpty !== undefined) return madeEmpty;
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  madeEmpty = join(folder, 'accounts.sqlite');
  makeAccountsFile(madeEmpty);
  return madeEmpty;
}
