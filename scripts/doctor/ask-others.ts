// Requests of the doctor's command to ports, to the running Lookout, and to the upstream.
import { createServer } from 'node:net';
import type { Kysely } from 'kysely';
import { doctorAnswerSchema, type Finding } from '#lib/api/operation/doctor-answer.ts';
import { DAY_REMAINING_HEADER } from '#lib/contract/operation.ts';
import { accountName, readLedgerState } from '#lib/server/allowance/stored-ledger.ts';
import { DatabaseFailure } from '#lib/server/database/database-failure.ts';
import { whereOf } from '#lib/server/database/schema.ts';
import type { Tables } from '#lib/server/database/tables.ts';
import type { ReadsDatabase } from '#lib/server/doctor/database-checks.ts';
import { doctorProof } from '#lib/server/doctor/doctor.ts';
import { fine, type Said, unknown, wrong } from '#lib/server/doctor/examine.ts';
import { upstreamHost } from '#lib/server/doctor/network-checks.ts';
import { canReach } from '#lib/server/metrics/readiness.ts';
import type { Config } from '#lib/server/settings/config.ts';
import { storedSessionSecret } from '#lib/server/sign-in/sessions.ts';
import { type ApiKey, apiKeyFromFile, fixedApiKey } from '#lib/server/upstream/api-key.ts';
import { liveRequest, smallQuery } from '#lib/server/upstream/upstream-request.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { listening } from '../serving/listening.ts';

/** Whether the ports of a Lookout that does not run are free: host and number of each. */
export async function portFindings(ports: readonly (readonly [string, number])[]): Promise<readonly Said[]> {
  const taken = await Promise.all(
    ports.map(async ([host, port]) => {
      const server = createServer();
      try {
        await listening(server, host, port);
        return [];
      } catch (error) {
        const found = `Lookout could not start: ${(error as Error).message}`;
        return [wrong(found, 'If a Lookout runs there, give this command its settings.')];
      } finally {
        server.close();
      }
    }),
  );
  const numbers = ports.map(([, port]) => port).join(' and ');
  const free = fine(`Lookout does not run; port ${numbers} ${ports.length > 1 ? 'are' : 'is'} free`);
  return taken.flat().length > 0 ? taken.flat() : [free];
}

/** All its checks take less. */
const ANSWER_MS = 10 * SECOND_MS;

/**
 * @param secret of its sessions; `undefined` where there are none, or none is known
 * @returns what the Lookout at an address found, or why it says nothing
 */
export async function askLookout(address: string, secret: string | undefined): Promise<readonly Finding[] | Said> {
  let status: number | undefined;
  try {
    const answer = await fetch(`${address}/api/admin/doctor`, {
      headers: secret === undefined ? {} : { authorization: doctorProof(secret, Date.now()) },
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'manual',
    });
    status = answer.status;
    return doctorAnswerSchema.parse(await answer.json()).findings;
  } catch (error) {
    const { code = 'no answer' } = ((error as Error).cause ?? {}) as { readonly code?: string };
    return status === undefined
      ? unknown(`${address} does not answer (${code})`, 'See Certificate and Server.')
      : wrong(
          `${address} answers ${status}, and not as this Lookout`,
          'Let the proxy pass Authorization, to this Lookout.',
        );
  }
}

/** @returns `undefined` where there are no sessions, or the database cannot be read */
export async function secretOf(
  { sessionSecret }: Pick<Config, 'sessionSecret'>,
  reads: ReadsDatabase,
): Promise<string | undefined> {
  // Operators alone make sign-in needed, whatever the settings say.
  return sessionSecret ?? (await unlessLost(reads((query) => storedSessionSecret(query as unknown as Kysely<Tables>))));
}

async function unlessLost<Result>(read: Promise<Result>): Promise<Result | undefined> {
  try {
    return await read;
  } catch (error) {
    // The line of the database says so.
    if (error instanceof DatabaseFailure) return undefined;
    throw error;
  }
}

export interface AskedUpstream {
  readonly said: readonly Said[];
  /** By how much its clock is ahead; `undefined` without an answer. */
  readonly aheadMs?: number | undefined;
}

interface UpstreamQuestion {
  readonly reads: ReadsDatabase;
  /** False: only a connection is made. */
  readonly sends: boolean;
  /** Receives what is about to be sent, and its price. */
  readonly say: (text: string) => void;
}

/** It reads only within an area, so it is slower than other answers. */
const UPSTREAM_MS = 5 * SECOND_MS;
const UNREACHED = 'Check POSITIONS_API_URL, DNS and the firewall.';

/** Sends one request, if the ledger knows of nothing against it. */
export async function askUpstream(config: Config, { reads, sends, say }: UpstreamQuestion): Promise<AskedUpstream> {
  const { baseUrl, key, trackPrefix } = config.upstream;
  const host = upstreamHost(config);
  if (host === undefined) return { said: [fine('The embedded service runs with Lookout')] };
  if (!sends) {
    const isReached = await canReach(baseUrl);
    const found = isReached ? `${host} can be reached; no request was sent` : `${host} cannot be reached`;
    return { said: [isReached ? unknown(found, 'Leave out --no-request to send one.') : wrong(found, UNREACHED)] };
  }
  let current: ApiKey;
  let obstacle: string | undefined;
  try {
    current = ('file' in key ? apiKeyFromFile(key.file) : fixedApiKey(key.value)).current();
    obstacle = await obstacleIn(config, reads, current.id);
  } catch (error) {
    // Of the key's file, or of a damaged ledger.
    return { said: [wrong((error as Error).message)] };
  }
  if (obstacle !== undefined) return { said: [unknown(`No request was sent: ${obstacle}`)] };
  say(`Sends one request to ${host}, which counts against the account’s allowance.`);
  const beforeMs = Date.now();
  const answer = await fetch(baseUrl + liveRequest('adsb', smallQuery(config.home), trackPrefix).target, {
    headers: { authorization: `Bearer ${current.value}`, accept: 'application/json' },
    signal: AbortSignal.timeout(UPSTREAM_MS),
    redirect: 'manual',
  }).catch(() => undefined);
  if (!answer) return { said: [wrong(`${host} does not answer`, UNREACHED)] };
  void answer.body?.cancel();
  // HTTP writes whole seconds.
  const atMs = Date.parse(answer.headers.get('date') ?? '') + SECOND_MS / 2;
  const aheadMs = Number.isNaN(atMs) ? undefined : atMs - (beforeMs + Date.now()) / 2;
  return { said: [answerSaid(answer, host)], aheadMs };
}

const REFUSALS: Readonly<Record<number, readonly [found: string, remedy: string]>> = {
  401: ['refuses the key', 'Write the right one to POSITIONS_API_KEY_FILE: it is read again.'],
  403: ['does not let this key read live ADS-B', 'Ask the upstream for the scope adsb.live.'],
  404: ['has nothing at this address', 'Set POSITIONS_API_URL with its version segment, such as /v1.'],
  429: ['has no requests left for this account', 'Wait; the Allowance panel says what uses them.'],
};

function answerSaid({ status, headers }: Response, host: string): Said {
  const left = headers.get(DAY_REMAINING_HEADER);
  if (status === 200) return fine(`${host} answers${left === null ? '' : `, ${left} requests left today`}`);
  const [found, remedy] = REFUSALS[status] ?? [`answers ${status}`, 'Try again later, or ask its operator.'];
  return wrong(`${host} ${found}`, remedy);
}

/** Why no request should be sent now. Without a database, nothing is known of the allowance. */
async function obstacleIn(config: Config, reads: ReadsDatabase, keyId: string): Promise<string | undefined> {
  const now = upstreamInstant(Date.now());
  const [where, account] = [whereOf(config.database), accountName(config.upstream.baseUrl)];
  const state = await unlessLost(
    reads((query) => readLedgerState({ query: query as unknown as Kysely<Tables>, where }, account, now)),
  );
  if (state?.refusedKey?.id === keyId && state.refusedKey.until > now) return 'the upstream refused this key before';
  const until = state?.pausedUntil ?? state?.usedUpUntil;
  return until && `the allowance is used up until ${formatInstant(until)}`;
}
