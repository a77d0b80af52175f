import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP, connect as openTcp, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Connect, Inlet, Surroundings } from '../feed.ts';
import { feedProblem } from './feed-problem.ts';
import { CONNECT_TIMEOUT_MS, type EndedConnection, makeByteRate, reconnecting } from './reconnecting.ts';

export interface MqttOptions {
  readonly host: string;
  readonly port: number;
  readonly topic: string;
  /** Topics on which the sensor reports regularly that it runs. Their payloads are not read. */
  readonly beacons?: { readonly topics: readonly string[]; readonly pattern: RegExp } | undefined;
  readonly username?: string | undefined;
  /** The file is read for each connection, so that the password can change. */
  readonly passwordFile?: string | undefined;
  readonly tls?:
    | {
        /** PEM file, trusted in addition to the system's certificates. */
        readonly caFile: string | undefined;
      }
    | undefined;
}

/** The limit is five times what the hundred drones of a kit take. */
const PACKET_MAX_MIB = 1;
/** As much as 4,000 messages of DroneScout. A faster connection is closed. */
const MIB_PER_SECOND_MAX = 8;
/** Silence of 1.5 times this is a loss. */
const KEEPALIVE_S = 30;

/**
 * Messages of one topic of a broker. Retained messages are not read: they may be of any age. A packet that is too long,
 * or a flood, ends the connection, since the library would buffer it.
 */
export function mqttMessages(options: MqttOptions): Connect {
  return (inlet, surroundings) =>
    reconnecting((closing) => subscription(options, inlet, surroundings, closing), inlet, surroundings);
}

interface Opened {
  readonly socket: Socket;
  readonly password: string | undefined;
}

/** One connection and its subscription, until it ends. Never rejects. */
async function subscription(
  options: MqttOptions,
  inlet: Inlet,
  { now, after }: Surroundings,
  closing: AbortSignal,
): Promise<EndedConnection> {
  // The library is loaded on demand, since that takes a tenth of a start.
  const { MqttClient } = await import('mqtt');
  let opened: Opened;
  try {
    opened = await open(options);
  } catch (error) {
    return { problem: `a file of its settings: ${feedProblem(error)}`, lastedMs: 0 };
  }
  const { socket, password } = opened;
  const isTooLong = makeMqttPacketMeter(PACKET_MAX_MIB * 1024 * 1024);
  const isFlood = makeByteRate(MIB_PER_SECOND_MAX * 1024 * 1024, now);
  let problem: string | undefined;
  let subscribedAt: UpstreamInstant | undefined;

  function end(why: string): void {
    problem ??= why;
    socket.destroy();
  }

  return new Promise((resolve) => {
    const client = new MqttClient(() => socket, {
      clientId: `lookout-${randomUUID()}`,
      ...(options.username !== undefined && { username: options.username }),
      ...(password !== undefined && { password }),
      clean: true,
      keepalive: KEEPALIVE_S,
      // Our own retries have jitter and a bound.
      reconnectPeriod: 0,
      connectTimeout: CONNECT_TIMEOUT_MS * 2,
    });
    const cancelTimeout = after(CONNECT_TIMEOUT_MS, () => end(`no answer within ${CONNECT_TIMEOUT_MS / SECOND_MS} s`));
    const close = () => end('closed');
    closing.addEventListener('abort', close, { once: true });
    socket.on('data', (chunk) => {
      if (isTooLong(chunk)) {
        inlet.refuse('too_long');
        end(`it sent a message of more than ${PACKET_MAX_MIB} MiB`);
      } else if (isFlood(chunk.length)) {
        inlet.refuse('flood');
        end(`it sent more than ${MIB_PER_SECOND_MAX} MiB within a second`);
      }
    });
    client.on('connect', () => {
      client.subscribe(options.topic, { qos: 0 }, (error, granted) => {
        if (error || granted?.every(({ qos }) => qos >= 128)) return end('the broker refuses the topic');
        cancelTimeout();
        subscribedAt = now();
        inlet.connected();
        // Beacons are subscribed to separately, since a broker may refuse them.
        if (options.beacons) client.subscribe([...options.beacons.topics], { qos: 0 }, () => {});
      });
    });
    client.on('message', (topic, payload, { retain }) => {
      if (retain || closing.aborted) return;
      if (options.beacons?.pattern.test(topic)) inlet.keptAlive(true);
      else inlet.message(payload);
    });
    client.on('error', (error) => end(mqttProblem(error)));
    socket.on('error', (error) => end(feedProblem(error)));
    socket.once('close', () => {
      cancelTimeout();
      closing.removeEventListener('abort', close);
      client.end(true);
      const lastedMs = subscribedAt === undefined ? 0 : msBetween(subscribedAt, now());
      resolve({ problem: problem ?? 'the broker closed the connection', lastedMs });
    });
    if (closing.aborted) close();
  });
}

async function open({ host, port, tls, passwordFile }: MqttOptions): Promise<Opened> {
  const read = async (file: string | undefined) => (file === undefined ? undefined : await readFile(file, 'utf8'));
  const [password, ca] = await Promise.all([read(passwordFile), read(tls?.caFile)]);
  const socket = tls
    ? openTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) })
    : openTcp({ host, port });
  socket.setNoDelay(true);
  return { socket, password: password?.trim() };
}

/** Refusals of MQTT 3.1.1 (3.2.2.3) are numbers, others the socket's errors. */
function mqttProblem(error: Error): string {
  const code: unknown = 'code' in error ? error.code : undefined;
  if (code === 4 || code === 5) return 'it requires a user and password, or refuses these';
  if (typeof code === 'number') return `the broker refuses the connection (code ${code})`;
  return feedProblem(error);
}

/**
 * Guards against the library, which buffers packets of up to 256 MiB. Layout: MQTT 3.1.1, 2.2.
 * @returns a function that tells whether a packet that is too long has begun
 */
export function makeMqttPacketMeter(packetMaxBytes: number): (chunk: Uint8Array) => boolean {
  let part: 'type' | 'length' | 'rest' = 'type';
  let lengthShift = 0;
  let restBytes = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (part === 'rest') {
        const skipped = Math.min(restBytes, chunk.length - at);
        restBytes -= skipped;
        at += skipped;
        if (restBytes === 0) part = 'type';
        continue;
      }
      const byte = chunk[at]!;
      at += 1;
      if (part === 'type') {
        part = 'length';
        lengthShift = 0;
        restBytes = 0;
        continue;
      }
      restBytes += (byte & 0x7f) * 2 ** lengthShift;
      lengthShift += 7;
      const isLast = byte < 0x80;
      if (restBytes > packetMaxBytes || (!isLast && lengthShift >= 28)) return true;
      if (isLast) part = restBytes === 0 ? 'type' : 'rest';
    }
    return false;
  };
}
