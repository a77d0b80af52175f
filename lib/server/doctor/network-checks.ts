// Checks of what Lookout is connected with: its own address, the proxy and certificate before it, receivers, upstream, clock.
import 'server-only';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { LIVE_REASONS } from '#lib/api/layer-reason.ts';
import type { MissingForReady, ReadyAnswer } from '#lib/api/operation/ready-answer.ts';
import { type Receiver, type ReceiversAnswer, shareText, UNREAD_TEXTS } from '#lib/api/receivers/receivers-answer.ts';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import { trustOf } from '#lib/front/client-address.ts';
import type { SeenRequest } from '#lib/front/seen-request.ts';
import { LAYER_IN_FULL } from '#lib/incidents/incident-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { connectTo } from '../metrics/readiness.ts';
import type { Config } from '../settings/config.ts';
import { isLoopbackHost } from '../sign-in/relying-party.ts';
import { fine, type Said, unknown, wrong } from './examine.ts';

const MISSING: Readonly<Record<Exclude<MissingForReady, 'part'>, Said>> = {
  leaving: wrong('Lookout is stopping', 'Start it again.'),
  schema: wrong(
    'Lookout has stopped its statements: the tables are of another version',
    'See Schema, then start it again.',
  ),
  storage: wrong('Lookout cannot write DATA_DIR or its database', 'See Disk, Folder and Database.'),
  key: wrong('Lookout has no usable key of the upstream', 'Write the key to POSITIONS_API_KEY_FILE: it is read again.'),
  upstream: wrong('Lookout has not reached the upstream since its start', 'See Upstream.'),
};

export function readyFindings({ missing, failing }: ReadyAnswer, at: string | undefined): readonly Said[] {
  const said = [
    ...missing.flatMap((each) => (each === 'part' ? [] : [MISSING[each]])),
    ...failing.map(({ part, reason }) =>
      wrong(`Its part ${part} fails: ${reason.replaceAll('_', ' ')}`, 'The log says why; look for that part in it.'),
    ),
  ];
  return said.length > 0 ? said : [fine(`Lookout answers${at === undefined ? '' : ` at ${at}`}, and is ready`)];
}

const ENDS_SOON_DAYS = 14;

/** Connects to PUBLIC_URL as a browser does. It sends no request. */
export async function certificateFindings(origin: string | undefined, nowMs: number): Promise<readonly Said[]> {
  if (!origin?.startsWith('https:')) return [fine('PUBLIC_URL has no https, so there is no certificate')];
  const { hostname } = new URL(origin);
  let socket: Socket | undefined;
  try {
    socket = await connectTo(origin);
    const endMs = Date.parse((socket as TLSSocket).getPeerCertificate().valid_to);
    const days = Math.floor((endMs - nowMs) / DAY_MS);
    const end = `ends in ${days} days, on ${new Date(endMs).toISOString().slice(0, 10)}`;
    if (days < ENDS_SOON_DAYS) return [wrong(`The certificate of ${hostname} ${end}`, RENEW)];
    return [fine(`The certificate of ${hostname} is trusted, and ${end}`)];
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (/CERT|SIGNATURE|TLS/.test(code))
      return [wrong(`This machine refuses the certificate: ${message}`, CERTIFICATE_REMEDIES[code] ?? CHAIN)];
    const why = code === 'ABORT_ERR' ? 'no answer' : code;
    return [wrong(`${origin} cannot be reached from this machine (${why})`, 'Start the proxy, or correct PUBLIC_URL.')];
  } finally {
    socket?.destroy();
  }
}

const RENEW = 'Renew it, and reload the proxy.';
const CHAIN = 'Give the proxy the whole chain. For an authority of your own, set NODE_EXTRA_CA_CERTS to its file.';
const CERTIFICATE_REMEDIES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: RENEW,
  ERR_TLS_CERT_ALTNAME_INVALID: 'Get one for the name in PUBLIC_URL.',
};

type AddressConfig = Pick<Config, 'publicOrigin' | 'tls' | 'trustedProxies'>;

/** The way from a browser to Lookout, as the request shows it. */
export function proxyFindings(
  seen: SeenRequest,
  { publicOrigin, tls, trustedProxies }: AddressConfig,
): readonly Said[] {
  const { peer, client, host, hasForwardedFor, forwardedProto } = seen;
  const expected = publicOrigin === undefined ? undefined : new URL(publicOrigin).host;
  if (expected !== undefined && host.toLowerCase() !== expected)
    return [
      wrong(
        `This request has Host ${host}, and PUBLIC_URL has ${expected}`,
        'Let the proxy pass Host, or use PUBLIC_URL.',
      ),
    ];
  const said: Said[] = [];
  const isTrusted = trustOf(trustedProxies)(peer);
  if (hasForwardedFor && !isTrusted)
    said.push(
      wrong(
        `${peer} sends X-Forwarded-For and is not trusted: all clients count as one address`,
        `Set TRUSTED_PROXIES to ${peer.replace(/^::ffff:/, '')}`,
      ),
    );
  if (!hasForwardedFor && (isTrusted || tls))
    said.push(
      wrong(
        `${peer} sends no X-Forwarded-For: all clients count as one address`,
        'Let the proxy set it to the client’s address.',
      ),
    );
  if (tls && forwardedProto !== null && !/(^|[, ])https$/i.test(forwardedProto))
    said.push(
      wrong(`The browser came by ${forwardedProto}, so it keeps no cookie`, 'Let the proxy redirect to https.'),
    );
  if (!tls && forwardedProto === 'https')
    said.push(wrong('The proxy speaks https, and cookies are not Secure', `Set PUBLIC_URL to https://${host}`));
  if (said.length > 0) return said;
  const way = hasForwardedFor ? `the client ${client} by way of ${peer}` : `${client}, without a proxy`;
  return [
    fine(`Lookout sees ${way}, and Host ${host}; cookies are ${tls ? 'Secure' : 'not Secure, as http needs it'}`),
  ];
}

/** @param answer `undefined` without own receivers */
export function receiverFindings(answer: ReceiversAnswer | undefined): readonly Said[] {
  if (!answer) return [fine('No receivers of its own are set up')];
  const { failure, status } = answer;
  if (failure)
    return [wrong(UNREAD_TEXTS[failure.cause], 'Start it again as the user of Lookout, and look at its log.')];
  if (!status) return [unknown('Nothing is known of the receivers yet')];
  const { feeds, problems, past } = status;
  const said = [
    ...problems.map((problem) => wrong(`The file of feeds: ${problem}`)),
    ...feeds.flatMap((feed) => [...feedFindings(feed)]),
    ...(past?.problem ? [wrong('Nothing is recorded: the disk of the receivers’ past', 'See Disk.')] : []),
  ];
  if (said.length > 0) return said;
  const latest = feeds
    .flatMap(({ last_heard_at: at }) => at ?? [])
    .sort()
    .at(-1);
  return [fine(`${feeds.length} set up; ${latest === undefined ? 'none received yet' : `last received ${latest}`}`)];
}

function* feedFindings({ id, state, problem, deaf, last_heard_at: lastAt, clock_is_used: isClockUsed }: Receiver) {
  if (state === 'lost' || state === 'silent') {
    const last = lastAt === null ? 'never received' : `last received ${lastAt}`;
    const why = problem === null ? '' : `: ${problem}`;
    yield wrong(`${id} is ${state}, ${last}${why}`, 'Check its power, network and program.');
  }
  if (deaf)
    yield wrong(`${id} is deaf: ${shareText(deaf.share).toLowerCase()}`, 'Check its antenna, cable and amplifier.');
  if (isClockUsed === false) yield wrong(`The clock of ${id} is wrong`, 'Set up NTP on it.');
}

/** @param host of the upstream; `undefined`: the embedded service */
export function upstreamFindings(status: StatusAnswer, host: string | undefined): readonly Said[] {
  const where = host ?? 'The embedded service';
  if (status.key_refused)
    return [wrong(`${where} refuses the key`, 'Write the right one to POSITIONS_API_KEY_FILE: it is read again.')];
  const said = LAYERS.flatMap((layer) => {
    const { reason } = status.layers[layer];
    if (reason === null) return [];
    return [wrong(`${LAYER_IN_FULL[layer]}: ${LIVE_REASONS[reason].live}`, 'See “Reasons” in docs/operating.md.')];
  });
  if (said.length > 0) return said;
  if (LAYERS.every((layer) => status.layers[layer].state === 'unknown'))
    return [unknown(`${where} got no request yet`, 'Open the map: it sends one.')];
  const left =
    status.has_allowance && status.day.remaining !== null ? `, ${status.day.remaining} requests left today` : '';
  return [fine(`${where} answers${left}`)];
}

const CLOCK_MAX_S = 5;

/** @param aheadMs by how much other clocks are ahead of this machine's; `undefined` for one that is not known */
export function clockFindings(aheadMs: Readonly<Record<string, number | undefined>>): readonly Said[] {
  const known = Object.entries(aheadMs).flatMap(([of, ms]) => (ms === undefined ? [] : [{ of, s: ms / SECOND_MS }]));
  if (known.length === 0)
    return [unknown('There is no other clock to compare with: no answer of an upstream, and no PostgreSQL')];
  const off = known.filter(({ s }) => Math.abs(s) > CLOCK_MAX_S);
  if (off.length === 0)
    return [fine(`The clock is within ${CLOCK_MAX_S} s of that of ${known.map(({ of }) => of).join(' and ')}`)];
  return off.map(({ of, s }) => {
    const way = s > 0 ? 'behind' : 'ahead of';
    const remedy = 'Set the clock that is wrong by NTP: timedatectl set-ntp true';
    return wrong(`This machine’s clock is ${Math.round(Math.abs(s))} s ${way} that of ${of}`, remedy);
  });
}

/** The upstream's name in texts. */
export function upstreamHost({ upstream: { embedded, baseUrl } }: Pick<Config, 'upstream'>): string | undefined {
  const { host, hostname } = new URL(baseUrl);
  return embedded && isLoopbackHost(hostname) ? undefined : host;
}
