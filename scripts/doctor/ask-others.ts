// Requests of the doctor's command to the port of Lookout, to the proxy before it, and to the upstream.
import { createServer } from 'node:net';
import type { Kysely } from 'kysely';
import { readyAnswerSchema } from '#lib/api/operation/ready-answer.ts';
import { DAY_REMAINING_HEADER } from '#lib/contract/operation.ts';
import { doctorProof, type SeenRequest } from '#lib/front/seen-request.ts';
import { accountName, readLedgerState } from '#lib/server/allowance/stored-ledger.ts';
import { DatabaseFailure } from '#lib/server/database/database-failure.ts';
import { whereOf } from '#lib/server/database/schema.ts';
import type { Tables } from '#lib/server/database/tables.ts';
import type { ReadsDatabase } from '#lib/server/doctor/database-checks.ts';
import { fine, type Said, unknown, wrong } from '#lib/server/doctor/examine.ts';
import { proxyFindings, readyFindings, upstreamHost } from '#lib/server/doctor/network-checks.ts';
import { canReach } from '#lib/server/metrics/readiness.ts';
import type { Config } from '#lib/server/settings/config.ts';
import { storedSessionSecret } from '#lib/server/sign-in/sessions.ts';
import { apiKeyFromFile, fixedApiKey } from '#lib/server/upstream/api-key.ts';
import { liveRequest, smallQuery } from '#lib/server/upstream/upstream-request.ts';
import { epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { listening } from '../serving/listening.ts';

const ANSWER_MS = 3 * SECOND_MS;
/** It reads only within an area, so it is slower than other answers. */
const UPSTREAM_MS = 5 * SECOND_MS;

interface Listening {
  readonly host: string;
  readonly port: number;
  readonly metricsPort: number | undefined;
}

export interface PortAnswer {
  readonly said: readonly Said[];
  readonly isRunning: boolean;
}

/** The address by which this machine reaches what listens on `host`. */
function localAddress({ host, port }: Pick<Listening, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** @param isInUse whether a Lookout runs with DATA_DIR */
export async function askPort(listen: Listening, isInUse: boolean): Promise<PortAnswer> {
  const { host, port, metricsPort } = listen;
  const address = localAddress(listen);
  let answer: Response | undefined;
  try {
    answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'manual' });
    const ready = readyAnswerSchema.parse(await answer.json());
    if (isInUse) return { said: readyFindings(ready, address), isRunning: true };
    const other = wrong(
      `The Lookout at ${address} has another DATA_DIR`,
      'Set DATA_DIR, HOST and PORT as for one Lookout.',
    );
    return { said: [other], isRunning: false };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
    if (answer !== undefined || code !== 'ECONNREFUSED') {
      const other = wrong(`Another program has port ${port}, or hangs there`, 'Stop it, or set PORT to another port.');
      const hangs = wrong(`Lookout runs, and does not answer at ${address}`, 'Look at its log, and start it again.');
      return { said: [isInUse ? hangs : other], isRunning: isInUse };
    }
  }
  if (isInUse) {
    const elsewhere = wrong(
      `A Lookout uses DATA_DIR, and nothing answers at ${address}`,
      'Set HOST and PORT as for that Lookout, or look at its log.',
    );
    return { said: [elsewhere], isRunning: true };
  }
  const ports = [[host, port] as const, ...(metricsPort === undefined ? [] : [['127.0.0.1', metricsPort] as const])];
  const taken = (await Promise.all(ports.map(([at, number]) => takenText(at, number)))).flatMap((text) => text ?? []);
  if (taken.length > 0) return { said: taken.map((text) => wrong(text)), isRunning: false };
  const free = ports.map(([, number]) => number).join(' and ');
  return {
    said: [fine(`Lookout does not run; port ${free} ${ports.length > 1 ? 'are' : 'is'} free`)],
    isRunning: false,
  };
}

async function takenText(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    await listening(server, host, port);
    return undefined;
  } catch (error) {
    return `Lookout could not start: ${(error as Error).message}`;
  } finally {
    server.close();
  }
}

export interface ProxyAnswer {
  readonly said: readonly Said[];
  /** The version that answers. */
  readonly running: string | undefined;
}

/** Asks the running Lookout, over the address that browsers use, what it sees of the request. */
export async function askProxy(config: Config, listen: Listening, reads: ReadsDatabase): Promise<ProxyAnswer> {
  const noSession = { said: [fine('No sign-in is needed: Lookout answers on this machine alone')], running: undefined };
  if (config.signInReason === undefined) return noSession;
  const secret = config.sessionSecret ?? (await secretIn(reads));
  if (secret === undefined) return { said: [unknown('The database cannot be read')], running: undefined };
  const address = config.publicOrigin ?? localAddress(listen);
  const said = (each: Said, running?: string) => ({ said: [each], running });
  let text: string;
  try {
    const answer = await fetch(`${address}/healthz`, {
      headers: { authorization: doctorProof(secret, Date.now()) },
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'manual',
    });
    text = await answer.text();
    if (answer.status !== 200)
      return said(wrong(`${address}/healthz answers ${answer.status}`, 'Let the proxy pass it to Lookout.'));
  } catch (error) {
    const { code = 'no answer' } = ((error as Error).cause ?? {}) as { readonly code?: string };
    return said(unknown(`${address} did not answer (${code})`, 'See Certificate and Server.'));
  }
  const seen = seenIn(text);
  if (!seen)
    return said(
      wrong(
        `${address} does not lead to this Lookout, or drops Authorization`,
        'Let the proxy pass Authorization to this one.',
      ),
    );
  return { said: proxyFindings(seen, config), running: seen.version };
}

function seenIn(text: string): SeenRequest | undefined {
  try {
    const seen = JSON.parse(text) as SeenRequest;
    return typeof seen.peer === 'string' ? seen : undefined;
  } catch {
    return undefined;
  }
}

async function secretIn(reads: ReadsDatabase): Promise<string | undefined> {
  try {
    return await reads((query) => storedSessionSecret(query as unknown as Kysely<Tables>));
  } catch (error) {
    if (error instanceof DatabaseFailure) return undefined;
    throw error;
  }
}

export interface AskedUpstream {
  readonly said: readonly Said[];
  readonly aheadMs: number | undefined;
}

interface UpstreamQuestion {
  readonly reads: ReadsDatabase;
  /** False: only a connection is made. */
  readonly sends: boolean;
  /** Receives what is about to be sent, and its price. */
  readonly say: (text: string) => void;
}

/** Sends one request, if the ledger knows of nothing against it. */
export async function askUpstream(config: Config, { reads, sends, say }: UpstreamQuestion): Promise<AskedUpstream> {
  const { baseUrl, key, trackPrefix } = config.upstream;
  const host = upstreamHost(config);
  const said = (each: Said, aheadMs?: number) => ({ said: [each], aheadMs });
  if (host === undefined) return said(fine('The embedded service runs with Lookout'));
  let value: string;
  let keyId: string;
  try {
    ({ value, id: keyId } = ('file' in key ? apiKeyFromFile(key.file) : fixedApiKey(key.value)).current());
  } catch (error) {
    return said(wrong((error as Error).message));
  }
  if (!(await canReach(baseUrl)))
    return said(wrong(`${host} cannot be reached`, 'Check POSITIONS_API_URL, DNS and the firewall.'));
  if (!sends)
    return said(unknown(`${host} can be reached; no request was sent`, 'Leave out --no-request to send one.'));
  const obstacle = await obstacleIn(config, reads, keyId);
  if (obstacle) return said(obstacle);
  say(`Sends one request to ${host}, which counts against the account’s allowance.`);
  const { target } = liveRequest('adsb', smallQuery(config.home), trackPrefix);
  const beforeMs = Date.now();
  let answer: Response;
  try {
    answer = await fetch(baseUrl + target, {
      headers: { authorization: `Bearer ${value}`, accept: 'application/json' },
      signal: AbortSignal.timeout(UPSTREAM_MS),
      redirect: 'manual',
    });
    await answer.body?.cancel();
  } catch {
    return said(wrong(`${host} accepts connections, and does not answer`, 'Try again later, or ask its operator.'));
  }
  // HTTP writes whole seconds.
  const at = Date.parse(answer.headers.get('date') ?? '') + SECOND_MS / 2;
  const aheadMs = Number.isNaN(at) ? undefined : at - (beforeMs + Date.now()) / 2;
  return { said: [answerSaid(answer, host)], aheadMs };
}

function answerSaid(answer: Response, host: string): Said {
  const left = answer.headers.get(DAY_REMAINING_HEADER);
  switch (answer.status) {
    case 200:
      return fine(`${host} answers${left === null ? '' : `, ${left} requests left today`}`);
    case 401:
      return wrong(`${host} refuses the key`, 'Write the right one to POSITIONS_API_KEY_FILE: it is read again.');
    case 403:
      return wrong(`The key may not read live ADS-B at ${host}`, 'Ask the upstream for the scope adsb.live.');
    case 404:
    case 405:
      return wrong(
        `${host} has nothing at this address`,
        'Set POSITIONS_API_URL with its version segment, such as /v1.',
      );
    case 429:
      return wrong(`The allowance at ${host} is used up`, 'Wait; the Allowance panel says who uses it.');
    default:
      return wrong(`${host} answers ${answer.status}`, 'Try again later, or ask its operator.');
  }
}

/** Why no request should be sent now. */
async function obstacleIn(config: Config, reads: ReadsDatabase, keyId: string): Promise<Said | undefined> {
  const now = upstreamInstant(Date.now());
  try {
    const { day, minute, pausedUntil, usedUpUntil, refusedKey } = await reads((query) =>
      readLedgerState(
        { query: query as unknown as Kysely<Tables>, where: whereOf(config.database) },
        accountName(config.upstream.baseUrl),
        now,
      ),
    );
    if (refusedKey?.id === keyId && refusedKey.until > now)
      return wrong(
        'The upstream refused this key before',
        'Write the right one to POSITIONS_API_KEY_FILE: it is read again.',
      );
    const until = [pausedUntil, usedUpUntil].find((each) => each !== undefined && epochMs(each) > epochMs(now));
    if (until !== undefined || day.remaining === 0)
      return unknown(`No request was sent: the allowance is used up until ${formatInstant(until ?? day.resetsAt)}`);
    return minute.remaining === 0 ? unknown('No request was sent: the allowance of this minute is used up') : undefined;
  } catch (error) {
    // Without a database, nothing is known of the allowance.
    if (error instanceof DatabaseFailure) return undefined;
    throw error;
  }
}
